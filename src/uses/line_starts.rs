//! Lines and columns of bytes.

/// The beginnings of the lines of a text.
#[derive(Clone, Debug)]
pub struct LineStarts {
    starts: Vec<u32>,
}

impl LineStarts {
    /// Finds the lines of a text; one ends behind its `\n`.
    pub fn of(text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let after = ends.map(|(at, _)| u32::try_from(at + 1).unwrap_or(u32::MAX));
        Self {
            starts: std::iter::once(0).chain(after).collect(),
        }
    }

    /// Returns the first byte of a line, which is counted from 0; `None` behind the last one.
    pub fn start(&self, line: usize) -> Option<u32> {
        self.starts.get(line).copied()
    }

    /// Returns line and column of a byte, both from 0; columns count bytes.
    pub fn place(&self, byte: u32) -> (usize, u32) {
        let line = self.starts.partition_point(|start| *start <= byte) - 1;
        (line, byte - self.starts[line])
    }
}
