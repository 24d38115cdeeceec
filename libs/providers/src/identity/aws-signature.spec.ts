import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import fc from 'fast-check';
import type { HeaderList } from '../provider';
import { signAwsRequest } from './aws-signature';

const NOW = Date.parse('2026-11-26T10:11:12.345Z');
const region = 'eu-central-1';
const service = 'bedrock';

const segment = fc.string({
  unit: fc.constantFrom('a', 'B', '9', '-', '.', '_', '~', ':', '/', ' ', 'é', '!', '*', "'"),
});
const text = fc.string({ minLength: 1, maxLength: 20 });

/** Returns the headers that AWS's own signer makes. */
async function expected(
  path: string,
  query: Record<string, string>,
  body: string,
  keys: { readonly id: string; readonly secret: string; readonly token: string | null },
): Promise<Record<string, string>> {
  const signer = new SignatureV4({
    credentials: {
      accessKeyId: keys.id,
      secretAccessKey: keys.secret,
      ...(keys.token !== null && { sessionToken: keys.token }),
    },
    region,
    service,
    sha256: Sha256,
    applyChecksum: false,
  });
  const request = {
    method: 'POST',
    protocol: 'https:',
    hostname: 'bedrock.example.com',
    path,
    query,
    headers: { host: 'bedrock.example.com:8443', 'content-type': 'application/json' },
    body,
  };
  return (await signer.sign(request, { signingDate: new Date(NOW) })).headers;
}

it('signs as AWS’s own signer does', async () => {
  const cases = fc.record({
    parts: fc.array(segment, { maxLength: 4 }),
    query: fc.dictionary(fc.stringMatching(/^[a-z][a-zA-Z0-9-]{0,8}$/), fc.stringMatching(/^[ -~]{0,10}$/), {
      maxKeys: 3,
    }),
    body: fc.string({ unit: 'grapheme' }),
    id: fc.stringMatching(/^[A-Z0-9]{16,20}$/),
    secret: text,
    token: fc.option(fc.stringMatching(/^[!-~]{1,40}$/)),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ parts, query, body, id, secret, token }) => {
      const path = `/model/${['m', ...parts].map(encodeURIComponent).join('/')}`;
      const search = Object.entries(query)
        .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
        .join('&');
      const headers: HeaderList = ['content-type', 'application/json', 'user-agent', 'any'];
      signAwsRequest(
        {
          method: 'POST',
          host: 'bedrock.example.com:8443',
          path: search === '' ? path : `${path}?${search}`,
          headers,
          body: Buffer.from(body),
        },
        { accessKeyId: id, secretAccessKey: secret, sessionToken: token },
        { region, service, now: NOW },
      );
      const { authorization } = await expected(path, query, body, { id, secret, token });
      expect(headers[headers.indexOf('authorization') + 1]).toBe(authorization);
    }),
    { numRuns: 100 },
  );
});

const KEYS = { id: 'AKIAEXAMPLEEXAMPLE', secret: 'secret', token: null };

/** Returns the signature of a request with this path. */
function authorizationOf(path: string): string {
  const headers: HeaderList = ['content-type', 'application/json'];
  signAwsRequest(
    { method: 'POST', host: 'bedrock.example.com:8443', path, headers, body: Buffer.alloc(0) },
    { accessKeyId: KEYS.id, secretAccessKey: KEYS.secret, sessionToken: null },
    { region, service, now: NOW },
  );
  return headers[headers.indexOf('authorization') + 1] ?? '';
}

it.each([
  { a1: '1', a: '2' },
  { 'type-a': '1', type: '2', 'type.b': '3' },
])('sorts parameters by their names as AWS does: %j', async (query) => {
  const search = new URLSearchParams(query).toString();
  const { authorization } = await expected('/models', query, '', KEYS);
  expect(authorizationOf(`/models?${search}`)).toBe(authorization);
});

it('refuses a query with a broken percent-encoding', () => {
  for (const query of ['a=%zz', '%=1', 'a=%ff']) {
    expect(() => authorizationOf(`/models?${query}`)).toThrow(
      expect.objectContaining({ type: 'request_malformed', status: 400 }) as Error,
    );
  }
});

it('never signs with the secret of another key with the same id', () => {
  const signature = (secretAccessKey: string): string => {
    const headers: HeaderList = [];
    signAwsRequest(
      { method: 'POST', host: 'h', path: '/', headers, body: Buffer.alloc(0) },
      { accessKeyId: 'AKIASAME', secretAccessKey, sessionToken: null },
      { region, service, now: NOW },
    );
    return headers.at(-1) ?? '';
  };
  const own = signature('own');
  expect(signature('other')).not.toBe(own);
  expect(signature('own')).toBe(own);
});
