import { readSamlResponse } from './response';
import type { SamlConnection, SamlExpectation } from './saml-types';
import { buildResponse, recipeKeys, samlCases, type SamlCase, type Setting } from './spec-support/recipes';

const NOW = new Date('2026-03-01T10:00:00.000Z');
const setting: Setting = {
  acsUrl: 'https://gateway.example.com/v2/auth/saml/callback/1',
  entityId: 'https://gateway.example.com/v2/auth/saml/metadata/1',
  idpEntityId: 'https://idp.example',
  requestId: '_4fe2',
  now: NOW,
};
const keys = recipeKeys();
const connection: SamlConnection = {
  idpEntityId: setting.idpEntityId,
  certificates: [keys.idp, keys.idp2, keys['idp-ec']].map(({ certificate }) => certificate),
  allowIdpInitiated: false,
  lenientDestination: false,
  enforceCertificateDates: false,
  maxAge: null,
  nameIdFormat: null,
  emailAttribute: null,
  givenNameAttribute: null,
  familyNameAttribute: null,
  decryptionKeys: [keys.sp.privateKey],
  isDomainAllowed: (domain) => domain === 'example.org',
};

/**
 * Recipes that need stored flows, other connections or metadata; `saml-login.int-spec.ts` and
 * `requests-and-metadata.spec.ts` cover them.
 */
const STATE = /^(?:send|browser|flow_age|organisation|connection|relayState|processes)$/;
const isStateless = ({ group, change }: SamlCase): boolean =>
  !['logout', 'metadata'].includes(group) && !Object.keys(change).some((name) => STATE.test(name));

const isSpBegun = (change: SamlCase['change']): boolean =>
  !((change['remove'] as string[] | undefined) ?? []).includes('response.inResponseTo');

const read = (
  change: SamlCase['change'],
  more: Partial<SamlConnection> = {},
  expected: Partial<SamlExpectation> = {},
): ReturnType<typeof readSamlResponse> =>
  readSamlResponse(
    buildResponse(change, keys, setting),
    {
      ...connection,
      allowIdpInitiated: change['connection.allow_idp_initiated'] === true,
      maxAge: (change['connection.max_age'] as number | undefined) ?? null,
      ...more,
    },
    { ...setting, requestId: isSpBegun(change) ? setting.requestId : null, ...expected },
  );

const stateless = samlCases.filter(isStateless);

describe('readSamlResponse', () => {
  it('is tested with all vectors that need no state', () => {
    expect(samlCases).toHaveLength(101);
    expect(stateless).toHaveLength(78);
  });

  it.each(stateless.map((each) => [each.id, each.reason, each] as const))('%s: %s', async (id, _, each) => {
    const verdict = await read(each.change);
    if (!each.expect.startsWith('accept')) {
      expect(verdict).toEqual({ failed: each.check ?? expect.anything(), message: expect.any(String) });
      return;
    }
    const hasAddress = id !== 'saml-098';
    expect(verdict).toMatchObject({ identity: { email: hasAddress ? 'user@example.org' : null } });
  });

  it('accepts a signature of an elliptic curve key, and refuses one of another such key', async () => {
    const change = { 'sign.key': 'idp-ec', 'sign.signature': 'ecdsa-sha256' };
    expect(await read(change)).toMatchObject({ identity: { subject: 'user@example.org' } });
    const certificates = [keys.idp.certificate, recipeKeys()['idp-ec'].certificate];
    expect(await read(change, { certificates })).toMatchObject({ failed: 5 });
  });

  it("returns the index and the end of the provider's session", async () => {
    const change = { 'assertion.authn.sessionNotOnOrAfter': 'now+1800' };
    expect(await read(change)).toMatchObject({
      identity: { sessionIndex: '_s1', sessionEndsAt: new Date(NOW.getTime() + 1_800_000) },
    });
  });

  it('accepts a missing destination only in an unsigned response with lenientDestination', async () => {
    const change = { remove: ['response.destination'] };
    expect(await read(change)).toMatchObject({ failed: 3 });
    expect(await read(change, { lenientDestination: true })).toHaveProperty('identity');
    expect(await read({ ...change, 'sign.what': 'both' }, { lenientDestination: true })).toMatchObject({
      failed: 3,
    });
  });

  it('checks the dates of the certificate only with enforceCertificateDates', async () => {
    const now = new Date(Date.now() + 20 * 31_557_600_000);
    const later = { ...setting, now };
    const answer = buildResponse({}, keys, later);
    const at = { ...later, requestId: setting.requestId };
    expect(await readSamlResponse(answer, connection, at)).toHaveProperty('identity');
    const strict = { ...connection, enforceCertificateDates: true };
    expect(await readSamlResponse(answer, strict, at)).toMatchObject({ failed: 5 });
  });

  it('refuses a confirmation for another request, and InResponseTo without a request', async () => {
    expect(await read({ 'assertion.confirmation.inResponseTo': '_other' })).toMatchObject({ failed: 6 });
    const begun = { allowIdpInitiated: true };
    expect(await read({}, begun, { requestId: null })).toMatchObject({ failed: 6 });
  });

  it.each<[string, SamlCase['change'], RegExp]>([
    ['digest', {}, /(?<=<DigestMethod Algorithm=")[^"]+/],
    ['signature', {}, /(?<=<SignatureMethod Algorithm=")[^"]+/],
    ['cipher', { encrypt: 'valid' }, /(?<=<xenc:EncryptionMethod Algorithm=")[^"]+/],
  ])('refuses a %s algorithm with the name of an inherited member as unlisted', async (_, change, name) => {
    const xml = Buffer.from(buildResponse(change, keys, setting), 'base64').toString('utf8');
    const verdicts = ['constructor', 'urn:unlisted'].map((algorithm) => {
      const changed = Buffer.from(xml.replace(name, algorithm)).toString('base64');
      return readSamlResponse(changed, connection, setting);
    });
    const [inherited, unlisted] = await Promise.all(verdicts);
    expect(unlisted).toMatchObject({ message: expect.stringMatching(/must be/) as unknown });
    expect(inherited).toEqual(unlisted);
  });

  it.each([
    ['open tags', '<a>'.repeat(60_000)],
    ['attributes', `<a ${'b="" '.repeat(30_000)}/>`],
    ['an attribute without an end', `<a b="${'x'.repeat(180_000)}`],
    ['spaces', `<a${' '.repeat(180_000)}`],
    ['comments without an end', '<!--'.repeat(45_000)],
    ['ampersands', `<a>${'&'.repeat(180_000)}</a>`],
    ['namespaces', `<a ${Array.from({ length: 9_000 }, (_, n) => `xmlns:n${String(n)}="u"`).join(' ')}/>`],
    // Quadratic work on any of these would take longer than a test may.
  ])(
    'refuses a large response of %s',
    async (_, xml) => {
      const base64 = Buffer.from(xml).toString('base64');
      const verdict = await readSamlResponse(base64, connection, setting);
      expect(verdict).toMatchObject({ failed: 'guard' });
    },
    // eslint-disable-next-line no-restricted-syntax -- the limit is what the test proves
    20_000,
  );
});
