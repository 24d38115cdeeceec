import { buildAuthnRequest, type AuthnRequest } from './authn-request';
import { readIdpMetadata, SamlMetadataFault } from './idp-metadata';
import { newKeyWithCertificate, type KeyWithCertificate } from './self-signed';
import { spMetadataXml } from './sp-metadata';
import { samlCases } from './spec-support/recipes';
import { samlifyIdp } from '@gw/testing';
import { newKey } from './spec-support/signer';

const IDP = 'https://idp.example';
const ENTITY = 'https://gateway.example.com/sp';
const key = newKey();
const idp = samlifyIdp(IDP, key);

const request = (more: Partial<AuthnRequest>): AuthnRequest => ({
  id: '_request',
  issuedAt: new Date(),
  sso: { url: `${IDP}/sso`, binding: 'redirect' },
  acsUrl: ENTITY,
  entityId: ENTITY,
  nameIdFormat: null,
  forceAuthn: false,
  authnContext: null,
  relayState: 'relay',
  signingKey: null,
  ...more,
});

describe('buildAuthnRequest', () => {
  let sp: KeyWithCertificate;
  beforeAll(async () => {
    sp = await newKeyWithCertificate('gateway.example.com');
  });

  it.each([[false], [true]])(
    'builds a redirect request that another implementation reads (signed: %s)',
    async (signed) => {
      const { url, fields } = buildAuthnRequest(request({ signingKey: signed ? sp.privateKey : null }));
      expect(fields).toBeNull();
      const query = new URL(url).search.slice(1);
      const certificate = signed ? sp.certificate : null;
      expect(await idp.idOfRedirect(query, { entityId: ENTITY, certificate })).toBe('_request');
      if (!signed) return;
      const other = { entityId: ENTITY, certificate: newKey().certificate };
      await expect(idp.idOfRedirect(query, other)).rejects.toBeDefined();
    },
  );

  it.each([[false], [true]])(
    'builds a POST request that another implementation reads (signed: %s)',
    async (signed) => {
      const signingKey = signed ? sp.privateKey : null;
      const { fields } = buildAuthnRequest(
        request({ signingKey, sso: { url: `${IDP}/sso`, binding: 'post' } }),
      );
      const certificate = signed ? sp.certificate : null;
      expect(await idp.idOfPost(fields ?? {}, { entityId: ENTITY, certificate })).toBe('_request');
      if (!signed) return;
      const other = { entityId: ENTITY, certificate: newKey().certificate };
      await expect(idp.idOfPost(fields ?? {}, other)).rejects.toBeDefined();
    },
  );

  it('escapes texts from administrators', () => {
    const { url } = buildAuthnRequest(request({ authnContext: 'a"/><x>&', nameIdFormat: '"<>' }));
    expect(new URL(url).origin).toBe(IDP);
  });
});

const certificateOf = (each: { certificate: string }): string =>
  each.certificate.replace(/-----[A-Z ]+-----|\s/g, '');

const descriptor = (certificates: readonly string[], location = `${IDP}/sso`, prolog = ''): string =>
  `${prolog}<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${IDP}">` +
  `<IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol" WantAuthnRequestsSigned="true">` +
  certificates
    .map(
      (each) =>
        `<KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>\n${each}\n</X509Certificate></X509Data></KeyInfo></KeyDescriptor>`,
    )
    .join('') +
  `<SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${location}"/>` +
  `</IDPSSODescriptor></EntityDescriptor>`;

describe('readIdpMetadata and spMetadataXml', () => {
  const [one, two] = [certificateOf(key), certificateOf(newKey())];
  const vectors: Readonly<Record<string, () => string>> = {
    'saml-123': () => descriptor([one, two]),
    'saml-125': () => descriptor([one], 'http://idp.example/sso'),
    'saml-126': () => descriptor([one], 'javascript:alert(1)'),
    'saml-127': () => descriptor([]),
    'saml-129': () => descriptor([certificateOf(newKey('rsa', 1_024))]),
    'saml-130': () => descriptor([one], undefined, '<!DOCTYPE r>'),
  };

  it.each(samlCases.filter(({ id }) => id in vectors).map((each) => [each.id, each.reason, each.expect]))(
    '%s: %s',
    (id, _, expected) => {
      const read = (): unknown => readIdpMetadata(vectors[id]?.() ?? '');
      if (expected === 'reject') expect(read).toThrow(SamlMetadataFault);
      else expect(read()).toMatchObject({ entityId: IDP, certificates: [{}, {}], wantsSignedRequests: true });
    },
  );

  it.each([
    'https://idp.example/sso\n',
    'https://idp.example/s so',
    'https://idp.example/ü',
    'https://idp.example/&#10;',
  ])('refuse the location %j, which no header can contain', (location) => {
    expect(() => readIdpMetadata(descriptor([one], location))).toThrow(SamlMetadataFault);
  });

  it('read metadata that another implementation wrote', () => {
    expect(readIdpMetadata(idp.metadata())).toMatchObject({
      entityId: IDP,
      sso: { url: `${IDP}/sso`, binding: 'redirect' },
      certificates: [{}],
    });
  });

  it('write our metadata with our certificates and URLs, and refuse it as metadata of an identity provider', async () => {
    const { certificate } = await newKeyWithCertificate('gateway.example.com');
    const acsUrl = 'https://gateway.example.com/acs?a=1&b=2';
    const sloUrl = 'https://gateway.example.com/slo';
    const xml = spMetadataXml({
      entityId: ENTITY,
      acsUrl,
      sloUrl,
      signsRequests: true,
      certificates: [certificate],
    });
    expect(() => readIdpMetadata(xml)).toThrow('no identity provider');
    expect(xml).toContain('Location="https://gateway.example.com/acs?a=1&amp;b=2"');
  });
});
