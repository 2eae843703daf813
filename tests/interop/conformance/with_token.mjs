// Loaded before a program that can't be told a header: each of its requests shows the token.

import { subscribe } from "node:diagnostics_channel";
import http from "node:http";

const token = `Bearer ${process.env.CODELENS_HTTP_TOKEN}`;

// `fetch` and what it is made of.
subscribe("undici:request:create", ({ request }) => request.addHeader("authorization", token));

const plain = http.request;
http.request = (...given) => {
  const request = plain(...given);
  request.setHeader("authorization", token);
  return request;
};
