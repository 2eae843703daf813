//! Lines and columns of bytes.

/// The beginnings of the lines of a text.
#[derive(Clone, Debug)]
pub struct LineStarts {
    starts: Vec<u32>,
}

impl LineStarts {
    /// Finds the lines of a text; one ends behind its `\n`.
    pub fn of(text: &str) -> Self {
        Self::of_bytes(text.as_bytes())
    }

    /// Finds the lines of bytes, as [`Self::of`] does.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let after = ends.map(|(at, _)| u32::try_from(at + 1).unwrap_or(u32::MAX));
        Self {
            starts: std::iter::once(0).chain(after).collect(),
        }
    }

    /// Returns the first byte of a line, which is counted from 0; `None` behind the last one.
    pub fn start(&self, line: usize) -> Option<u32> {
        self.starts.get(line).copied()
    }

    /// Returns the line of a byte, from 1.
    pub fn number_at(&self, byte: usize) -> u32 {
        let byte = u32::try_from(byte).unwrap_or(u32::MAX);
        let number = self.starts.partition_point(|start| *start <= byte);
        u32::try_from(number).unwrap_or(u32::MAX)
    }

    /// Returns line and column of a byte, both from 0; columns count bytes.
    pub fn place(&self, byte: u32) -> (usize, u32) {
        let line = self.starts.partition_point(|start| *start <= byte) - 1;
        (line, byte - self.starts[line])
    }
}
