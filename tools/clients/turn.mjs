import { strict as assert } from 'node:assert';

/** Where the product is, and a key of it. */
export const GATEWAY = process.env.TOLLGATE_URL;
export const ORIGIN = GATEWAY.replace(/\/v1$/, '');
export const KEY = process.env.TOLLGATE_KEY;
export const MODEL = 'sandbox-small';
export const PROVIDER = { 'x-gw-provider': '@sandbox' };
export const TOOL = 'get_weather';
/** The sandbox calls a tool that the message names, with the arguments that follow. */
export const QUESTION = 'Call get_weather {"city":"Paris"}';
export const RESULT = '18 degrees in Paris';
export const DESCRIPTION = 'Reads the weather of a city';
export const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};

/** Cities that the client's tool was called with. */
export const cities = [];
export const weather = ({ city }) => {
  cities.push(city);
  return RESULT;
};

/** Checks one turn with a tool: its call, and a final text that quotes the result. */
export function checkTurn(text) {
  assert.deepEqual(cities.splice(0), ['Paris']);
  assert.match(text, /\[sandbox\] .*18 degrees in Paris/s);
}

export function checkText(text) {
  assert.match(text, /^\[sandbox\] .*Hello/s);
}

/** Joins what an asynchronous iterable of texts gives. */
export async function joined(texts) {
  let all = '';
  for await (const text of texts) all += text;
  return all;
}
