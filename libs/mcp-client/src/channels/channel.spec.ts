import { encodedRequest, ownRequest, withMember } from './channel';

describe('encodedRequest', () => {
  const bytes = Buffer.from('{"a":1e2}');
  const written = (params: object, meta: string, argumentBytes: Buffer | null): string =>
    encodedRequest({ ...ownRequest(1, 'm', { ...params }), meta, argumentBytes }).toString('utf8');
  const start = '{"jsonrpc":"2.0","id":1,"method":"m","params":';

  it('writes the given bytes instead of the parsed arguments', () => {
    expect(written({ arguments: { a: 100 } }, '', bytes)).toBe(`${start}{"arguments":{"a":1e2}}}`);
    expect(written({ name: 'x', arguments: { a: 100 } }, '', bytes)).toBe(
      `${start}{"name":"x","arguments":{"a":1e2}}}`,
    );
    expect(written({ arguments: {} }, '"k":{}', bytes)).toBe(
      `${start}{"_meta":{"k":{}},"arguments":{"a":1e2}}}`,
    );
  });

  it('serialises the arguments without given bytes, and writes _meta only if it has members', () => {
    expect(written({ arguments: { a: 100 } }, '', null)).toBe(`${start}{"arguments":{"a":100}}}`);
    expect(written({ _meta: { own: 1 } }, '"k":1', null)).toBe(`${start}{"_meta":{"k":1}}}`);
    expect(written({}, '', null)).toBe(`${start}{}}`);
  });

  it('writes members of _meta of the channel after those of the call', () => {
    const request = { ...ownRequest(1, 'm', {}), meta: withMember('', 'k', undefined) };
    expect(encodedRequest(request, '"own":1').toString()).toBe(`${start}{"_meta":{"own":1}}}`);
    const meta = withMember(withMember('', '__proto__', { a: 1 }), 'é"', null);
    expect(encodedRequest({ ...request, meta }, '"own":1').toString()).toBe(
      `${start}{"_meta":{"__proto__":{"a":1},"é\\"":null,"own":1}}}`,
    );
  });
});
