//! Members of enumerations that no declaration shows. For those that Lombok adds see `lombok`.

use super::lowering::Lowering;
use crate::ir::{Expr, SymbolIdx};

impl Lowering<'_> {
    /// Binds `values()` and `valueOf(name)` of an enumeration.
    pub(super) fn enum_members(&mut self, symbol: SymbolIdx) {
        let class = self.add(Expr::Symbol(symbol));
        let one = self.instance(class);
        let all = self.array(one);
        for (name, result) in [("values()", all), ("valueOf()", one)] {
            let method = self.add(Expr::Callable { result });
            self.bind_member(symbol, name, method);
        }
    }
}
