import fc from 'fast-check';
import { toLegacyResult } from '../bridge/legacy-client';
import { toModernResult } from '../bridge/modern-client';
import { META, type JsonObject } from '../protocol';
import { own } from './message';
import {
  isLegacyResult,
  scannedIsError,
  scannedType,
  scanResponse,
  splicedResponse,
  type ScannedResponse,
} from './scan-response';

const INFO = { name: 'server', version: '1' };
const FACTS = { serverInfo: INFO, ttlMs: 0, isFiltered: true };

const scan = (text: string): ScannedResponse | null => scanResponse(Buffer.from(text));
const scanned = (text: string): ScannedResponse => scan(text) as ScannedResponse;
const response = (result: unknown, indent?: number | string): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 7, result }, null, indent);
const parsed = (bytes: Buffer | null): unknown =>
  bytes === null ? null : JSON.parse(bytes.toString('utf8'));

describe('scanResponse', () => {
  const member = fc.stringMatching(/^[a-z]{1,6}$/);
  const meta = fc.dictionary(member, fc.jsonValue(), { maxKeys: 2 });
  const results = fc.record(
    {
      resultType: fc.constantFrom('complete', 'task'),
      content: fc.array(fc.jsonValue(), { maxLength: 3 }),
      isError: fc.boolean(),
      _meta: fc.oneof(
        meta,
        meta.map((more) => ({ a: 1, [META.server]: { name: 'old' }, ...more })),
      ),
      structuredContent: fc.jsonValue(),
      ttlMs: fc.nat(),
    },
    { requiredKeys: [] },
  );
  const ids = fc.constantFrom<string | number>(1, 'a"\\');
  const indents = fc.constantFrom(undefined, 2, '\t');

  it('produces the same response as serialising the parsed result', () => {
    fc.assert(
      fc.property(results, indents, ids, (given, indent, id) => {
        const result = JSON.parse(JSON.stringify(given)) as JsonObject;
        const found = scanned(response(result, indent));
        const modern = parsed(splicedResponse(found, id, INFO));
        expect(modern).toEqual({ jsonrpc: '2.0', id, result: toModernResult('tools/call', result, FACTS) });
        expect(parsed(splicedResponse(found, id, null))).toEqual({ jsonrpc: '2.0', id, result });
      }),
    );
  });

  it('reads resultType and isError, and whether legacy clients get the result unchanged', () => {
    fc.assert(
      fc.property(results, indents, (given, indent) => {
        const result = JSON.parse(JSON.stringify(given)) as JsonObject;
        const found = scanned(response(result, indent));
        expect(found.id).toBe(7);
        expect(scannedType(found)).toBe(own(result, 'resultType') ?? 'complete');
        expect(scannedIsError(found)).toBe(own(result, 'isError') === true);
        const legacy = toLegacyResult(result, { revision: '2025-11-25', tasks: true });
        const isSame = JSON.stringify(legacy) === JSON.stringify({ kind: 'result', result });
        expect(isLegacyResult(found)).toBe(isSame);
      }),
    );
  });

  it('keeps the bytes of the result, such as numbers that a double cannot represent', () => {
    const result = '{"content":[ {"n":12345678901234567890.10} ]}';
    const spliced = splicedResponse(scanned(`{"id":7,"result":${result},"jsonrpc":"2.0"}`), 1, null);
    expect(spliced?.toString('utf8')).toBe(`{"jsonrpc":"2.0","id":1,"result":${result}}`);
  });

  it.each([
    ['a request', '{"jsonrpc":"2.0","id":7,"method":"ping"}'],
    ['a request with a result', '{"jsonrpc":"2.0","id":7,"method":"ping","result":{}}'],
    ['an error', '{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"no"}}'],
    ['a result that is no object', '{"jsonrpc":"2.0","id":7,"result":[]}'],
    ['another version', '{"jsonrpc":"1.0","id":7,"result":{}}'],
    ['a response without an id', '{"jsonrpc":"2.0","result":{}}'],
    ['an id that is no integer', '{"jsonrpc":"2.0","id":1.5,"result":{}}'],
    ['a second result', '{"jsonrpc":"2.0","id":7,"result":{},"result":{"a":1}}'],
    ['a second result behind an escape', '{"jsonrpc":"2.0","id":7,"result":{},"r\\u0065sult":{}}'],
    ['a second resultType', '{"jsonrpc":"2.0","id":7,"result":{"resultType":"a","resultType":"b"}}'],
    ['a member with an escape in the result', '{"jsonrpc":"2.0","id":7,"result":{"\\u005fmeta":{}}}'],
    ['brackets that do not match', '{"jsonrpc":"2.0","id":7,"result":{"a":[}}'],
    ['something behind the message', '{"jsonrpc":"2.0","id":7,"result":{}} {}'],
    ['a message that never ends', '{"jsonrpc":"2.0","id":7,"result":{"a":"'],
    ['too many levels', `{"jsonrpc":"2.0","id":7,"result":{"a":${'['.repeat(70)}${']'.repeat(70)}}}`],
    ['no JSON', 'no'],
    ['nothing', ''],
  ])('leaves %s to the decoder', (_, text) => {
    expect(scan(text)).toBeNull();
  });

  it('leaves bytes that are not UTF-8 to the decoder', () => {
    expect(scanResponse(Buffer.from(response({ a: 'é' }), 'latin1'))).toBeNull();
  });

  it('returns no response if _meta could get a second serverInfo or is not an object', () => {
    for (const name of [
      `"${META.server}":1,"${META.server}"`,
      `"i\\u006f.modelcontextprotocol/serverInfo"`,
    ]) {
      const found = scanned(`{"jsonrpc":"2.0","id":7,"result":{"_meta":{${name}:{}}}}`);
      expect(splicedResponse(found, 1, INFO)).toBeNull();
    }
    expect(splicedResponse(scanned('{"jsonrpc":"2.0","id":7,"result":{"_meta":5}}'), 1, INFO)).toBeNull();
  });

  it('returns null for a resultType that is not a plain string', () => {
    for (const type of ['5', '"a\\u0062"', '["complete"]'])
      expect(scannedType(scanned(`{"jsonrpc":"2.0","id":7,"result":{"resultType":${type}}}`))).toBeNull();
  });

  it('holds one balanced object in the span of the result, whatever its strings contain', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const text = Buffer.from(bytes)
          .toString('latin1')
          .replace(/["\\\x80-\xff]/g, '');
        // The text may contain control characters, which JSON does not allow in strings. Such a
        // response is found too, because the scan checks no strings: the client refuses it.
        const found = scan(`{"jsonrpc":"2.0","id":7,"result":{"a":"${text}"}}`);
        expect(
          found === null ? null : found.body.toString('latin1', found.result.start, found.result.end),
        ).toBe(`{"a":"${text}"}`);
      }),
    );
  });
});
