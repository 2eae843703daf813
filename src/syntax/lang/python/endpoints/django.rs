//! Routes of Django: lists of paths, and what is registered with a router of Django REST framework.

use tree_sitter::Node;

use super::super::super::endpoints::{RouteAt, fields, route_path, short};
use super::{EndpointReader, Made};
use crate::ir::{MountTarget, Router};

/// How deep lists with names of their own may be included, and how often each.
const MAX_LISTS: usize = 4;

impl<'tree> EndpointReader<'_, 'tree, '_> {
    /// `urlpatterns = router.urls`, `path('api/', include(router.urls))`, `path('api/', include([*router.urls]))`
    pub(super) fn rest_urls(&mut self, value: Node<'_>) {
        let Some((object, name)) = fields(value, "object", "attribute") else {
            return;
        };
        // The grammar takes a lone `*router.urls` for a member of `*router`.
        let router = self.text(object).trim_start_matches('*');
        if self.text(name) != "urls" || !matches!(self.made.get(router), Some(Made::RestRouter)) {
            return;
        }
        let target = self.builder.top_level(router).map(MountTarget::Symbol);
        let Some(target) = target else {
            return;
        };
        for prefix in self.django_prefixes(value) {
            self.builder
                .add_mount(Router::File, Some(prefix), false, target, value);
        }
    }

    /// `router.register('users', UserViewSet)` of Django REST framework: a list and its members.
    pub(super) fn rest_register(&mut self, call: Node<'_>, object: Node<'_>) {
        if !matches!(self.made.get(self.text(object)), Some(Made::RestRouter)) {
            return;
        }
        let Some((router, _)) = self.router(object) else {
            return;
        };
        let path = self.argument(call, 0, "prefix");
        let path = path.and_then(|it| self.literal(it));
        let handler = self.argument(call, 1, "viewset");
        let Some(path) = path else {
            return;
        };
        for path in [path.clone(), format!("{path}/{{pk}}")] {
            let route = RouteAt {
                method: "",
                prefix: "",
                path: &path,
                router,
                handler,
                symbol: None,
            };
            self.builder.add_route(route, call);
        }
    }

    /// Returns the path of a route with `{}` for each parameter: `/users/{}` for `users/<int:id>/` and for `^users/(?P<id>[0-9]+)/$`.
    fn django_route(&self, call: Node<'_>, is_regex: bool) -> Option<String> {
        let text = self.literal(self.argument(call, 0, "route")?)?;
        if !is_regex {
            return route_path(&text);
        }
        let text = text.trim_start_matches('^').trim_end_matches('$');
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once("(?P<") {
            let (inner, behind) = behind.split_once(')')?;
            if inner.contains(['/', '(', '.']) {
                return None;
            }
            out.push_str(before);
            out.push_str("{}");
            rest = behind;
        }
        route_path(&(out + rest))
    }

    /// Returns the prefixes of a route in the lists around it: of `path('api/', include([path('users/', users)]))`. A list with a name of its
    /// own has those of the places where the file includes it: `path('api/', include(users))`.
    fn django_prefixes(&self, node: Node<'_>) -> Vec<String> {
        self.prefixes_below(node, String::new(), 0)
    }

    fn prefixes_below(&self, node: Node<'_>, mut whole: String, depth: usize) -> Vec<String> {
        let mut list = None;
        let mut around = node.parent();
        while let Some(outer) = around {
            around = outer.parent();
            if outer.kind() == "assignment" {
                list = outer.child_by_field_name("left");
            }
            if outer.kind() != "call" {
                continue;
            }
            let callee = outer.child_by_field_name("function");
            let callee = callee.map_or("", |it| self.text(it));
            if matches!(callee, "path" | "re_path") {
                let prefix = self.django_route(outer, callee == "re_path");
                match prefix.and_then(|prefix| short(prefix + &whole)) {
                    Some(longer) => whole = longer,
                    None => return Vec::new(),
                }
            } else if callee != "include" {
                return Vec::new();
            }
        }
        let named = list.and_then(|it| self.included_lists.get(self.text(it)));
        match named {
            None => vec![whole],
            Some(_) if depth == MAX_LISTS => Vec::new(),
            Some(places) => {
                let places = places.iter().take(MAX_LISTS);
                places
                    .flat_map(|place| self.prefixes_below(*place, whole.clone(), depth + 1))
                    .collect()
            }
        }
    }

    /// Notes the list that an `include(users)` takes by name.
    pub(super) fn include(&mut self, call: Node<'tree>) {
        let callee = call.child_by_field_name("function");
        if callee.is_none_or(|it| self.text(it) != "include") {
            return;
        }
        let list = Self::arguments(call).first().copied();
        // `include((users, 'app'))`
        let list = list.and_then(|it| {
            if it.kind() == "tuple" {
                it.named_child(0)
            } else {
                Some(it)
            }
        });
        if let Some(list) = list.filter(|it| it.kind() == "identifier") {
            let name = self.text(list);
            self.included_lists.entry(name).or_default().push(call);
        }
    }

    /// `path('users/', views.users)`, `path('api/', include('api.urls'))`
    pub(super) fn django_path(&mut self, call: Node<'_>, is_regex: bool) {
        let Some(path) = self.django_route(call, is_regex) else {
            return;
        };
        let Some(view) = self.argument(call, 1, "view") else {
            return;
        };
        let callee = view.child_by_field_name("function");
        let callee = callee.filter(|_| view.kind() == "call");
        if callee.is_some_and(|it| self.text(it) == "include") {
            let Some(included) = Self::arguments(view).first().copied() else {
                return;
            };
            let module = if included.kind() == "string" {
                self.literal(included)
            } else {
                None
            };
            if let Some(module) = module {
                let target = self.module(&module, included);
                for prefix in self.whole_paths(call, &path) {
                    self.builder
                        .add_mount(Router::File, Some(prefix), false, target, call);
                }
            }
            return;
        }
        // `Users.as_view()`, `wrap(users)`
        let handler = match callee {
            Some(callee) if callee.kind() == "attribute" => callee.child_by_field_name("object"),
            Some(_) => Self::arguments(view).first().copied(),
            None => Some(view),
        };
        for path in self.whole_paths(call, &path) {
            let route = RouteAt {
                method: "",
                prefix: "",
                path: &path,
                router: Router::File,
                handler,
                symbol: None,
            };
            self.builder.add_route(route, call);
        }
    }

    /// Returns a path behind the prefixes of a node.
    fn whole_paths(&self, node: Node<'_>, path: &str) -> Vec<String> {
        let prefixes = self.django_prefixes(node).into_iter();
        prefixes.filter_map(|prefix| short(prefix + path)).collect()
    }
}
