import {
  createHmac,
  createPrivateKey,
  createSign,
  generateKeyPairSync,
  publicEncrypt,
  randomBytes,
  createCipheriv,
  constants,
  createPublicKey,
} from 'node:crypto';
import { selfSigned } from '../self-signed';
import { SignedXml } from '../xml-library';
import { escapeXml } from '../write-xml';

export interface Key {
  readonly privateKey: string;
  readonly certificate: string;
}

const MORE = 'http://www.w3.org/2001/04/xmldsig-more#';
const DSIG = 'http://www.w3.org/2000/09/xmldsig#';
const ENC = 'http://www.w3.org/2001/04/xmlenc#';
const URIS: Readonly<Record<string, string>> = {
  'rsa-sha1': `${DSIG}rsa-sha1`,
  'rsa-sha256': `${MORE}rsa-sha256`,
  'ecdsa-sha256': `${MORE}ecdsa-sha256`,
  'hmac-sha1': `${DSIG}hmac-sha1`,
  sha1: `${DSIG}sha1`,
  sha256: `${ENC}sha256`,
  enveloped: `${DSIG}enveloped-signature`,
  'exc-c14n': 'http://www.w3.org/2001/10/xml-exc-c14n#',
  'exc-c14n#WithComments': 'http://www.w3.org/2001/10/xml-exc-c14n#WithComments',
  xslt: 'http://www.w3.org/TR/1999/REC-xslt-19991116',
  xpath: 'http://www.w3.org/TR/1999/REC-xpath-19991116',
};

export const newKey = (type: 'rsa' | 'ec' = 'rsa', bits = 2_048): Key => {
  const { privateKey } =
    type === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: bits })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: selfSigned(privateKey, 'idp.example', new Date(Date.now() - 86_400_000)),
  };
};

export interface Sign {
  readonly key: Key;
  readonly signature: string;
  readonly digest: string;
  readonly transforms: readonly string[];
  readonly keyInfo: string | null;
}

/**
 * An identity transform and others that the library does not know; a hostile provider can name any.
 */
class AnyTransform {
  constructor(private readonly name: string) {}
  getAlgorithmName(): string {
    return this.name;
  }
  process(node: unknown): unknown {
    return node;
  }
}

/** Signs the element with that id, as an identity provider does. */
export function signElement(
  xml: string,
  id: string,
  { key, signature, digest, transforms, keyInfo }: Sign,
): string {
  const signed = new SignedXml({
    privateKey: key.privateKey,
    signatureAlgorithm: URIS[signature] ?? signature,
    canonicalizationAlgorithm: URIS['exc-c14n'] ?? '',
    getKeyInfoContent: () =>
      keyInfo === null
        ? null
        : `<X509Data><X509Certificate>${keyInfo.replace(/-----[A-Z ]+-----|\s/g, '')}</X509Certificate></X509Data>`,
  });
  signed.SignatureAlgorithms[URIS['hmac-sha1'] ?? ''] = class {
    getAlgorithmName(): string {
      return URIS['hmac-sha1'] ?? '';
    }
    getSignature(info: unknown): string {
      const secret = createPublicKey(key.certificate).export({ type: 'spki', format: 'pem' });
      return createHmac('sha1', secret).update(String(info)).digest('base64');
    }
    verifySignature(): boolean {
      return false;
    }
  };
  signed.SignatureAlgorithms[URIS['ecdsa-sha256'] ?? ''] = class {
    getAlgorithmName(): string {
      return URIS['ecdsa-sha256'] ?? '';
    }
    getSignature(info: unknown): string {
      return createSign('sha256')
        .update(String(info))
        .sign({ key: createPrivateKey(key.privateKey), dsaEncoding: 'ieee-p1363' }, 'base64');
    }
    verifySignature(): boolean {
      return false;
    }
  };
  for (const name of ['xslt', 'xpath']) {
    const uri = URIS[name] ?? '';
    signed.CanonicalizationAlgorithms[uri] = class extends AnyTransform {
      constructor() {
        super(uri);
      }
    };
  }
  signed.addReference({
    xpath: `//*[@ID='${id}']`,
    transforms: transforms.map((each) => URIS[each] ?? each),
    digestAlgorithm: URIS[digest] ?? digest,
  });
  signed.computeSignature(xml, {
    location: { reference: `//*[@ID='${id}']/*[local-name()='Issuer']`, action: 'after' },
  });
  return signed.getSignedXml();
}

/** Encrypts an assertion for a certificate, with the algorithms that a recipe names. */
export function encryptAssertion(
  assertion: string,
  certificate: string,
  cipher: string,
  transport: string,
): string {
  const isGcm = cipher.endsWith('gcm');
  const bits = cipher.startsWith('aes128') ? 128 : 256;
  const secret = randomBytes(bits / 8);
  const iv = randomBytes(isGcm ? 12 : 16);
  const name = `aes-${String(bits)}-${isGcm ? 'gcm' : 'cbc'}`;
  const encipher = createCipheriv(name as 'aes-256-gcm', secret, iv);
  const content = Buffer.concat([
    iv,
    encipher.update(assertion),
    encipher.final(),
    ...(isGcm ? [encipher.getAuthTag()] : []),
  ]);
  const padding = transport === 'rsa-oaep' ? constants.RSA_PKCS1_OAEP_PADDING : constants.RSA_PKCS1_PADDING;
  const wrapped = publicEncrypt({ key: certificate, padding }, secret);
  const method = `${isGcm ? 'http://www.w3.org/2009/xmlenc11#' : ENC}aes${String(bits)}-${isGcm ? 'gcm' : 'cbc'}`;
  return (
    `<saml:EncryptedAssertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"><xenc:EncryptedData xmlns:xenc="${ENC}" Type="${ENC}Element">` +
    `<xenc:EncryptionMethod Algorithm="${method}"/><KeyInfo xmlns="${DSIG}"><xenc:EncryptedKey>` +
    `<xenc:EncryptionMethod Algorithm="${ENC}${transport === 'rsa-oaep' ? 'rsa-oaep-mgf1p' : 'rsa-1_5'}"/>` +
    `<xenc:CipherData><xenc:CipherValue>${wrapped.toString('base64')}</xenc:CipherValue></xenc:CipherData>` +
    `</xenc:EncryptedKey></KeyInfo><xenc:CipherData><xenc:CipherValue>${content.toString('base64')}</xenc:CipherValue></xenc:CipherData>` +
    `</xenc:EncryptedData></saml:EncryptedAssertion>`
  );
}

export interface Confirmation {
  method?: string;
  recipient?: string;
  inResponseTo?: string;
  notOnOrAfter?: string;
  notBefore?: string;
}

export interface Recipe {
  response: Record<string, string | undefined>;
  assertion?: {
    id: string;
    version: string;
    issuer: string;
    issueInstant: string;
    nameId: string;
    nameIdFormat: string;
    confirmation: Confirmation[];
    conditions?: { notBefore: string; notOnOrAfter: string; audiences: string[][] } | undefined;
    authn?: Record<string, string>;
    attributes: Record<string, string[]>;
  };
}

const attribute = (name: string, value: string | undefined): string =>
  value === undefined ? '' : ` ${name}="${escapeXml(value)}"`;

/**
 * Returns the XML of a response before it is signed. NameIDs are inserted as markup, so that
 * recipes can contain comments.
 */
export function responseXml({ response: r, assertion }: Recipe): string {
  const [first = '', second] = (r['status'] ?? 'Success').split('/');
  const status = `urn:oasis:names:tc:SAML:2.0:status:`;
  const inner = second === undefined ? '' : `<samlp:StatusCode Value="${status}${second}"/>`;
  return (
    `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"` +
    `${attribute('ID', r['id'])}${attribute('Version', r['version'])}${attribute('IssueInstant', r['issueInstant'])}` +
    `${attribute('Destination', r['destination'])}${attribute('InResponseTo', r['inResponseTo'])}>` +
    (r['issuer'] === undefined ? '' : `<saml:Issuer>${escapeXml(r['issuer'])}</saml:Issuer>`) +
    `<samlp:Status><samlp:StatusCode Value="${status}${first}">${inner}</samlp:StatusCode></samlp:Status>` +
    `${assertion === undefined ? '' : assertionXml(assertion)}</samlp:Response>`
  );
}

function assertionXml(a: NonNullable<Recipe['assertion']>): string {
  const confirmations = a.confirmation.map(
    (c) =>
      `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:${c.method ?? 'bearer'}"><saml:SubjectConfirmationData` +
      `${attribute('NotOnOrAfter', c.notOnOrAfter)}${attribute('NotBefore', c.notBefore)}${attribute('Recipient', c.recipient)}` +
      `${attribute('InResponseTo', c.inResponseTo)}/></saml:SubjectConfirmation>`,
  );
  const kind = a.nameIdFormat === 'persistent' ? '2.0' : '1.1';
  const restrictions = a.conditions?.audiences.map(
    (each) =>
      `<saml:AudienceRestriction>${each.map((one) => `<saml:Audience>${escapeXml(one)}</saml:Audience>`).join('')}</saml:AudienceRestriction>`,
  );
  const conditions =
    a.conditions === undefined
      ? ''
      : `<saml:Conditions NotBefore="${a.conditions.notBefore}" NotOnOrAfter="${a.conditions.notOnOrAfter}">${restrictions?.join('') ?? ''}</saml:Conditions>`;
  const authn =
    a.authn === undefined
      ? ''
      : `<saml:AuthnStatement${attribute('AuthnInstant', a.authn['instant'])}${attribute('SessionIndex', a.authn['sessionIndex'])}` +
        `${attribute('SessionNotOnOrAfter', a.authn['sessionNotOnOrAfter'])}><saml:AuthnContext><saml:AuthnContextClassRef>` +
        `urn:oasis:names:tc:SAML:2.0:ac:classes:${a.authn['context'] ?? ''}</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`;
  const attributes = Object.entries(a.attributes).map(
    ([name, values]) =>
      `<saml:Attribute Name="${name}">${values.map((each) => `<saml:AttributeValue>${escapeXml(each)}</saml:AttributeValue>`).join('')}</saml:Attribute>`,
  );
  return (
    `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"${attribute('ID', a.id)}${attribute('Version', a.version)}${attribute('IssueInstant', a.issueInstant)}>` +
    `<saml:Issuer>${escapeXml(a.issuer)}</saml:Issuer><saml:Subject>` +
    `<saml:NameID Format="urn:oasis:names:tc:SAML:${kind}:nameid-format:${a.nameIdFormat}">${a.nameId}</saml:NameID>${confirmations.join('')}</saml:Subject>` +
    `${conditions}${authn}<saml:AttributeStatement>${attributes.join('')}</saml:AttributeStatement></saml:Assertion>`
  );
}
