//! Numbers that look like chance, to choose by.

/// A small generator, so that a failing run can be repeated from its seed (xorshift64*, Vigna 2016).
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Returns a number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let drawn = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        usize::try_from(drawn).unwrap() % n
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// Returns whether something happens that does so `percent` times in a hundred.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Returns `n` of these, or all if they are fewer, in any order.
    pub(crate) fn sample<T>(&mut self, from: impl IntoIterator<Item = T>, n: usize) -> Vec<T> {
        let mut rest: Vec<T> = from.into_iter().collect();
        let n = n.min(rest.len());
        (0..n)
            .map(|_| rest.swap_remove(self.below(rest.len())))
            .collect()
    }
}
