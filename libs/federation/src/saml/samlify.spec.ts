import { readSamlResponse } from './response';
import { samlifyIdp } from '@gw/testing';
import { newKey } from './spec-support/signer';

const SP = { acsUrl: 'https://gateway.example.com/acs', entityId: 'https://gateway.example.com/sp' };

describe('readSamlResponse with responses of samlify', () => {
  it.each([[false], [true]])('returns the identity (encrypted: %s)', async (isEncrypted) => {
    const [key, sp] = [newKey(), newKey()];
    const idp = samlifyIdp('https://idp.example', key);
    const answer = await idp.respond(
      { ...SP, encryptFor: isEncrypted ? sp.certificate : null },
      { requestId: '_r1', email: 'Ann@example.org', givenName: 'Ann' },
    );
    const verdict = await readSamlResponse(
      answer,
      {
        idpEntityId: 'https://idp.example',
        certificates: [key.certificate],
        allowIdpInitiated: false,
        lenientDestination: false,
        enforceCertificateDates: true,
        maxAge: 60,
        nameIdFormat: null,
        emailAttribute: null,
        givenNameAttribute: null,
        familyNameAttribute: null,
        decryptionKeys: [newKey().privateKey, sp.privateKey],
        isDomainAllowed: (domain) => domain === 'example.org',
      },
      { ...SP, requestId: '_r1', now: new Date() },
    );
    expect(verdict).toMatchObject({ identity: { email: 'ann@example.org', givenName: 'Ann' } });
  });
});
