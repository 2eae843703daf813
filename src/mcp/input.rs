//! Standard input, of which nothing is taken while somebody holds its gate.

use std::sync::{Arc, Mutex};

use tokio::io::AsyncRead;

/// Bytes read so far. While it is locked none are read: new input waits in the operating system.
pub(super) type InputGate = Arc<Mutex<u64>>;

/// Returns standard input, with its gate where it can have one.
pub(super) fn standard() -> (Box<dyn AsyncRead + Send + Unpin>, Option<InputGate>) {
    #[cfg(unix)]
    match gated::standard() {
        Ok((input, gate)) => return (Box::new(input), Some(gate)),
        Err(error) => tracing::info!(%error, "standard input has no gate"),
    }
    (Box::new(tokio::io::stdin()), None)
}

#[cfg(unix)]
mod gated {
    use std::fs::File;
    use std::io::{ErrorKind, Read as _, Result};
    use std::os::fd::AsFd as _;
    use std::pin::Pin;
    use std::sync::{Arc, PoisonError};
    use std::task::{Context, Poll, ready};

    use tokio::io::{AsyncRead, ReadBuf};
    use tokio::sync::mpsc;

    use super::InputGate;
    use crate::machine;

    /// How much is read at once, in bytes.
    const CHUNK_BYTES: usize = 64 << 10;

    /// How many chunks wait to be looked at.
    const MAX_CHUNKS: usize = 4;

    /// Chunks of the input, read by a thread of its own.
    pub(super) struct Chunks {
        waiting: mpsc::Receiver<Vec<u8>>,
        chunk: Vec<u8>,
        n_taken: usize,
    }

    pub(super) fn standard() -> Result<(Chunks, InputGate)> {
        let source = File::from(std::io::stdin().as_fd().try_clone_to_owned()?);
        let gate = InputGate::default();
        let (sender, waiting) = mpsc::channel(MAX_CHUNKS);
        let theirs = Arc::clone(&gate);
        std::thread::Builder::new()
            .name("input".to_owned())
            .spawn(move || read(&source, &theirs, &sender))?;
        let chunks = Chunks {
            waiting,
            chunk: Vec::new(),
            n_taken: 0,
        };
        Ok((chunks, gate))
    }

    fn read(mut source: &File, gate: &InputGate, chunks: &mpsc::Sender<Vec<u8>>) {
        let mut buffer = vec![0; CHUNK_BYTES];
        loop {
            machine::wait_readable(source);
            let mut n_read = gate.lock().unwrap_or_else(PoisonError::into_inner);
            match source.read(&mut buffer) {
                Ok(0) => return,
                Ok(n) => {
                    *n_read += n as u64;
                    if chunks.blocking_send(buffer[..n].to_vec()).is_err() {
                        return;
                    }
                }
                Err(error)
                    if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => {}
                Err(error) => {
                    tracing::debug!(%error, "the input broke off");
                    return;
                }
            }
        }
    }

    impl AsyncRead for Chunks {
        fn poll_read(
            mut self: Pin<&mut Self>,
            context: &mut Context<'_>,
            into: &mut ReadBuf<'_>,
        ) -> Poll<Result<()>> {
            if self.n_taken == self.chunk.len() {
                let Some(chunk) = ready!(self.waiting.poll_recv(context)) else {
                    return Poll::Ready(Ok(()));
                };
                self.chunk = chunk;
                self.n_taken = 0;
            }
            let rest = &self.chunk[self.n_taken..];
            let n = rest.len().min(into.remaining());
            into.put_slice(&rest[..n]);
            self.n_taken += n;
            if self.n_taken == self.chunk.len() {
                self.chunk = Vec::new();
                self.n_taken = 0;
            }
            Poll::Ready(Ok(()))
        }
    }
}
