//! Members of enumerations and records that no declaration shows. For those that Lombok adds see `lombok`.

use super::lowering::Lowering;
use crate::ir::{Expr, ExprId, SymbolIdx};

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

    /// Adds a method that stands for a field and gives its value, of the receiver's type: an `Item` for `value()` of a
    /// `Box<Item>`.
    pub(super) fn getter(&mut self, owner: SymbolIdx, field: SymbolIdx, name: &str) -> ExprId {
        let of = self.add(Expr::Symbol(field));
        let this = self.add(Expr::Receiver { scope: Some(owner) });
        let result = self.member_of(this, name);
        self.add(Expr::Accessor { of, result })
    }
}
