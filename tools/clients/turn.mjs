import { strict as assert } from 'node:assert';

/** Address of the product, and an API key. */
export const GATEWAY = process.env.TOLLGATE_URL;
export const ORIGIN = GATEWAY.replace(/\/v1$/, '');
export const KEY = process.env.TOLLGATE_KEY;
export const MODEL = 'sandbox-small';
export const PROVIDER = { 'x-gw-provider': '@sandbox' };
export const TOOL = 'get_weather';
/** The sandbox provider calls the tool that the message names, with the arguments after it. */
export const QUESTION = 'Call get_weather {"city":"Paris"}';
export const RESULT = '18 degrees in Paris';
export const DESCRIPTION = 'Reads the weather of a city';
export const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};

/** Cities with which the client called its tool. */
export const cities = [];
export const weather = ({ city }) => {
  cities.push(city);
  return RESULT;
};

/** Checks one turn with a tool: the tool was called, and the final text quotes its result. */
export function checkTurn(text) {
  assert.deepEqual(cities.splice(0), ['Paris']);
  assert.match(text, /\[sandbox\] .*18 degrees in Paris/s);
}

export function checkText(text) {
  assert.match(text, /^\[sandbox\] .*Hello/s);
}

/** Joins the texts of an asynchronous iterable. */
export async function joined(texts) {
  let all = '';
  for await (const text of texts) all += text;
  return all;
}
