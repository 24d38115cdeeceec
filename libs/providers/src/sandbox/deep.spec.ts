import { respondLocally } from './response';

const LEVELS = 20_000;
const DEEP = '['.repeat(LEVELS) + ']'.repeat(LEVELS);
const respond = (path: string, body: string): number =>
  respondLocally({ method: 'POST', path, body: Buffer.from(body), metadata: {} }).status;

it.each([
  ['/v1/embeddings', `{"model":"sandbox-small","input":[${DEEP}]}`],
  [
    '/v1/chat/completions',
    `{"model":"sandbox-small","messages":[{"role":"user","content":"f"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"const":${DEEP}}}}]}`,
  ],
  [
    '/v1/chat/completions',
    `{"model":"sandbox-small","messages":[{"role":"user","content":"x"}],"response_format":{"type":"json_schema","json_schema":{"schema":{"const":${DEEP}}}}}`,
  ],
])('the sandbox refuses a body nested deeper than the stack: %s', (path, body) => {
  expect(respond(path, body)).toBe(400);
});
