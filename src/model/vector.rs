//! A vector of length 1 in steps of 8 bits, as vectors of text are kept and compared.

/// The largest step.
const MAX_STEP: f32 = 127.0;

/// A vector of length 1, each component a whole number from -127 to 127 times one scale.
///
/// Example: `[3.0, 4.0]` is `[95, 127]` with a scale of 0.8 / 127.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantizedVector {
    steps: Vec<i8>,
    scale: f32,
}

impl QuantizedVector {
    /// Returns a vector brought to length 1; one of zeros stays. `None` where a component is infinite or no number.
    pub fn of(components: &[f32]) -> Option<Self> {
        if components.iter().any(|it| !it.is_finite()) {
            return None;
        }
        let largest = components
            .iter()
            .fold(0.0_f32, |most, it| most.max(it.abs()));
        let mut length = 0.0_f64;
        for component in components {
            // Divided first: squares of large components would be infinite.
            length += f64::from(*component / largest.max(f32::MIN_POSITIVE)).powi(2);
        }
        if length == 0.0 {
            return Some(Self {
                steps: vec![0; components.len()],
                scale: 0.0,
            });
        }
        #[allow(
            clippy::cast_possible_truncation,
            reason = "a step lies between -127 and 127, a length between 1 and 100"
        )]
        let (steps, length) = {
            let step = |it: &f32| (it / largest * MAX_STEP).round() as i8;
            (components.iter().map(step).collect(), length.sqrt() as f32)
        };
        Some(Self {
            steps,
            scale: 1.0 / (length * MAX_STEP),
        })
    }

    /// Returns the vector that [`Self::to_bytes`] and [`Self::scale`] are of.
    pub fn from_bytes(bytes: &[u8], scale: f32) -> Self {
        Self {
            steps: bytes.iter().map(|byte| byte.cast_signed()).collect(),
            scale,
        }
    }

    /// Returns its steps, one a byte.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.steps.iter().map(|step| step.cast_unsigned()).collect()
    }

    /// Returns the factor of its steps.
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// Returns how many components it has.
    pub fn dimensions(&self) -> usize {
        self.steps.len()
    }

    /// Returns the cosine of the angle to another vector of as many components, given by its bytes and its scale. Costs some
    /// 20 ns for 256 components.
    pub fn cosine(&self, bytes: &[u8], scale: f32) -> f32 {
        let pairs = self.steps.iter().zip(bytes);
        let product = |(a, b): (&i8, &u8)| i32::from(*a) * i32::from(b.cast_signed());
        let sum: i32 = pairs.map(product).sum();
        #[allow(clippy::cast_precision_loss, reason = "a sum of some million at most")]
        let sum = sum as f32;
        sum * self.scale * scale
    }
}

#[cfg(test)]
mod tests {
    use super::QuantizedVector;

    fn cosine(a: &[f32], b: &[f32]) -> f32 {
        let of = |it| QuantizedVector::of(it).unwrap();
        let b = of(b);
        of(a).cosine(&b.to_bytes(), b.scale())
    }

    #[test]
    fn angles_survive_the_steps() {
        for (a, b, wanted) in [
            (&[3.0, 4.0][..], &[3.0, 4.0][..], 1.0),
            (&[1.0, 0.0], &[0.0, 2.0], 0.0),
            (&[1.0, 1.0], &[-1.0, -1.0], -1.0),
            (
                &[1e30, 0.0],
                &[1e-30, 1e-30],
                std::f32::consts::FRAC_1_SQRT_2,
            ),
            (&[0.0, 0.0], &[1.0, 0.0], 0.0),
        ] {
            let found = cosine(a, b);
            assert!((found - wanted).abs() < 0.01, "{a:?} {b:?}: {found}");
        }
    }

    #[test]
    fn bytes_are_the_vector() {
        let vector = QuantizedVector::of(&[0.1, -0.7, 0.3]).unwrap();
        let again = QuantizedVector::from_bytes(&vector.to_bytes(), vector.scale());
        assert_eq!(again, vector);
        assert_eq!(vector.dimensions(), 3);
        assert_eq!(QuantizedVector::of(&[]).unwrap().dimensions(), 0);
    }

    #[test]
    fn numbers_that_are_none_make_no_vector() {
        for strange in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            assert_eq!(QuantizedVector::of(&[1.0, strange]), None);
        }
    }
}
