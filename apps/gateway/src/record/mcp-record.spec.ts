import type { McpRecord } from '@gw/contracts';
import { fragment, JsonWriter } from './json-writer';
import { writeMcpRecord } from './mcp-record';

const least: McpRecord = {
  server: 'docs',
  method: 'tools/call',
  name: null,
  revision: '2026-07-28',
  client: null,
  isError: false,
  argumentsDigest: null,
  inputs: 0,
};
const all: Required<McpRecord> = {
  server: 'docs',
  toolset: 'team',
  shownName: 'docs_séarch "x"',
  method: 'tools/call',
  name: 'séarch\n',
  revision: '2025-11-25',
  client: 'client 1.0.0',
  isError: true,
  argumentsDigest: 'abc_-',
  inputs: 3,
  requestId: '7',
  session: 'nonce',
  errorCode: -32_602,
  approvalId: 'approval',
};

describe('writeMcpRecord', () => {
  it.each([
    ['with the least members', least],
    ['with all members', all],
  ])('writes a record %s', (_what, record) => {
    const w = new JsonWriter();
    w.begin();
    w.raw(fragment('{"first":1'));
    writeMcpRecord(w, record);
    w.raw(fragment('}'));
    expect(JSON.parse(w.end().toString())).toEqual({ first: 1, mcp: record });
  });
});
