import {
  documentKey,
  INTERNAL,
  signingKeyDocumentBinding,
  type DocumentKey,
  type SigningKeyDocument,
} from '@gw/contracts';
import { ChangeEventEntity, rotateSigningKeys, SigningKeyEntity } from '@gw/entities';
import { DAY_MS, isSigned, readSigningKey, sealingKeyring, signToken, tokenKey, unseal } from '@gw/kernel';
import { MASTER_KEY, SERVICE_TOKEN, TestAdminApi } from '../spec-support/admin-api';

const PUBLIC_URL = 'https://gateway.example.com';
const RING = sealingKeyring(MASTER_KEY);

async function read(api: TestAdminApi): Promise<SigningKeyDocument | null> {
  const key = documentKey.signingKey();
  const { body } = await api.post<{ documents: Record<DocumentKey, SigningKeyDocument | null> }>(
    INTERNAL.documents,
    { token: SERVICE_TOKEN, body: { keys: [key] } },
  );
  return body.documents[key] ?? null;
}

describe('the document of the key that signs tokens', () => {
  const api = new TestAdminApi({ PUBLIC_URL });

  it('contains the key whose public part the installation publishes', async () => {
    const document = await read(api);
    if (document === null) throw new Error('There is no document.');
    expect(document).toMatchObject({ kind: 'signing_key', issuer: PUBLIC_URL });
    const binding = signingKeyDocumentBinding(document.kid);
    const jwk = JSON.parse(unseal(RING, document.sealedPrivate, binding).toString()) as Record<
      string,
      unknown
    >;
    const token = signToken(tokenKey(jwk), { sub: 'ada' });
    const { text } = await api.get('/.well-known/jwks.json');
    const { keys } = JSON.parse(text) as { keys: readonly { kid: string }[] };
    const published = readSigningKey(keys.find(({ kid }) => kid === document.kid));
    const [head = '', payload = '', signature = ''] = token.split('.');
    const parts = {
      ...{ algorithm: 'ES256', signed: Buffer.from(`${head}.${payload}`) },
      signature: Buffer.from(signature, 'base64url'),
    };
    expect(published !== null && isSigned(published, parts)).toBe(true);
    expect(JSON.stringify(document)).not.toContain(String(jwk['d']));
  });

  it('keeps its version until another key signs, and announces the change to gateways', async () => {
    const first = await read(api);
    expect((await read(api))?.version).toBe(first?.version);
    const { manager } = api.dataSource;
    const { notBefore } = await manager.findOneByOrFail(SigningKeyEntity, { state: 'current' });
    for (const days of [89, 90])
      await rotateSigningKeys(manager, RING, new Date(notBefore.getTime() + days * DAY_MS));
    const [event] = await manager.find(ChangeEventEntity, { order: { sequence: 'DESC' }, take: 1 });
    expect(event?.changed).toEqual([documentKey.signingKey()]);
    const second = await read(api);
    expect(second?.kid).not.toBe(first?.kid);
    expect(second?.version).not.toBe(first?.version);
  });
});

describe('an installation without a public URL', () => {
  const api = new TestAdminApi();

  it('has no signing key document without PUBLIC_URL, at which servers read the key set', async () => {
    expect(await read(api)).toBeNull();
  });
});
