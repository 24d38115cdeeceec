import { readCases } from '@gw/testing';
import {
  encryptAssertion,
  newKey,
  responseXml,
  signElement,
  type Confirmation,
  type Key,
  type Recipe,
  type Sign,
} from './signer';

export interface SamlCase {
  readonly id: string;
  readonly group: string;
  readonly change: Readonly<Record<string, unknown>>;
  readonly expect: string;
  readonly reason: string;
  readonly check?: number | 'guard';
}

export interface Setting {
  readonly acsUrl: string;
  readonly entityId: string;
  readonly idpEntityId: string;
  readonly requestId: string;
  readonly now: Date;
}

type Tree = Record<string, unknown>;

const file = readCases('saml.json') as { readonly base: Tree; readonly cases: readonly SamlCase[] };
export const samlCases = file.cases;

/**
 * Keys of the recipes: `idp`, `idp2` and `idp-ec` belong to the connection, `evil` to no
 * connection.
 */
export const recipeKeys = (): Record<'idp' | 'idp2' | 'idp-ec' | 'evil' | 'sp', Key> => ({
  idp: newKey(),
  idp2: newKey(),
  'idp-ec': newKey('ec'),
  evil: newKey(),
  sp: newKey(),
});

/** Builds the SAMLResponse of a recipe, in base64. */
export function buildResponse(
  change: Readonly<Record<string, unknown>>,
  keys: ReturnType<typeof recipeKeys>,
  setting: Setting,
): string {
  const tree = changed(change, setting);
  const sign = signOf(tree['sign'] as Record<string, unknown>, keys);
  const { what } = tree['sign'] as { what: string };
  let xml = responseXml(recipeOf(tree, setting));
  const assertionId = '_a1';
  const hasAssertion = xml.includes('<saml:Assertion');
  if (hasAssertion && what !== 'response') xml = signElement(xml, assertionId, sign);
  xml = encrypted(xml, change, keys);
  if (what !== 'assertion') xml = signElement(xml, '_r1', sign);
  xml = wrapped(xml, textOf(change['wrap']));
  if (typeof change['prolog'] === 'string') xml = change['prolog'] + xml;
  return encoded(xml, change);
}

function changed(change: Readonly<Record<string, unknown>>, setting: Setting): Tree {
  const tree = filled(structuredClone(file.base), setting) as Tree;
  for (const [path, value] of Object.entries(change)) {
    if (/^(?:response|assertion|sign)\./.test(path)) setAt(tree, path, filled(value, setting));
  }
  for (const path of (change['remove'] as string[] | undefined) ?? []) setAt(tree, path, undefined);
  return tree;
}

function setAt(tree: Tree, path: string, value: unknown): void {
  const names = path.split('.');
  const last = names.pop() ?? '';
  const parent = names.reduce((each, name) => each[name] as Tree, tree);
  if (value === undefined) Reflect.deleteProperty(parent, last);
  else parent[last] = value;
}

/** Replaces placeholders of recipes: `<ACS>`, `<SP>`, `now-30`. */
function filled(value: unknown, setting: Setting): unknown {
  if (Array.isArray(value)) return value.map((each) => filled(each, setting));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filled(each, setting)]));
  }
  if (typeof value !== 'string') return value;
  const time = /^now([+-]\d+)?$/.exec(value);
  if (time !== null) return new Date(setting.now.getTime() + Number(time[1] ?? 0) * 1_000).toISOString();
  return value
    .replace('<ACS>', setting.acsUrl)
    .replace('<SP>', setting.entityId)
    .replace('<IDP>', setting.idpEntityId)
    .replace('<REQUEST>', setting.requestId);
}

function recipeOf(tree: Tree, setting: Setting): Recipe {
  const response = tree['response'] as Recipe['response'];
  const assertion = tree['assertion'] as Tree | undefined;
  if (assertion === undefined) return { response };
  return {
    response,
    assertion: {
      ...(assertion as unknown as NonNullable<Recipe['assertion']>),
      confirmation: confirmationsOf(assertion['confirmation'], setting),
      conditions: conditionsOf(assertion['conditions'], setting),
    },
  };
}

function confirmationsOf(value: unknown, setting: Setting): Confirmation[] {
  if (!Array.isArray(value)) return [value as Confirmation];
  const base = (file.base['assertion'] as Tree)['confirmation'];
  return value.map((kind: string) =>
    filled(kind.startsWith('expired') ? { ...(base as object), notOnOrAfter: 'now-61' } : base, setting),
  ) as Confirmation[];
}

function conditionsOf(value: unknown, setting: Setting): NonNullable<Recipe['assertion']>['conditions'] {
  if (value === undefined) return undefined;
  const base = filled((file.base['assertion'] as Tree)['conditions'], setting) as Record<string, string>;
  const times = { notBefore: base['notBefore'] ?? '', notOnOrAfter: base['notOnOrAfter'] ?? '' };
  if (typeof value === 'string') {
    return { ...times, audiences: [[setting.entityId], ['https://other.example']] };
  }
  const { audience, ...own } = value as { audience: string[] };
  return { ...times, ...own, audiences: audience.length === 0 ? [] : [audience] };
}

function signOf(sign: Record<string, unknown>, keys: ReturnType<typeof recipeKeys>): Sign {
  const name = String(sign['key']);
  const key = name in keys ? keys[name as keyof typeof keys] : keys.idp;
  return {
    key,
    signature: String(sign['signature']),
    digest: String(sign['digest']),
    transforms: sign['transforms'] as string[],
    keyInfo: sign['keyInfo'] === 'none' ? null : key.certificate,
  };
}

const ASSERTION = /<saml:Assertion[\s\S]*<\/saml:Assertion>/;
const EVIL =
  '<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_evil" Version="2.0"><saml:Subject><saml:NameID>admin@example.org</saml:NameID></saml:Subject></saml:Assertion>';

function encrypted(
  xml: string,
  change: Readonly<Record<string, unknown>>,
  keys: ReturnType<typeof recipeKeys>,
): string {
  if (change['encrypt'] === undefined) return xml;
  const isOld = textOf(change['encrypt']).includes('rsa-1_5');
  const assertion = ASSERTION.exec(xml)?.[0] ?? '';
  const [cipher, transport] = isOld ? ['aes128-cbc', 'rsa-1_5'] : ['aes256-gcm', 'rsa-oaep'];
  const inside = encryptAssertion(assertion, keys.sp.certificate, cipher, transport);
  return xml.replace(ASSERTION, inside + (change['extra'] === undefined ? '' : EVIL));
}

/** Changes that recipes make to a response after it was signed. */
function wrapped(xml: string, wrap: string): string {
  const assertion = ASSERTION.exec(xml)?.[0] ?? '';
  const signature = /<Signature[\s\S]*<\/Signature>/.exec(assertion)?.[0] ?? '';
  const bare = assertion.replace(signature, '');
  const evil = (inside: string): string => EVIL.replace('<saml:Subject>', `${inside}<saml:Subject>`);
  const moves: Readonly<Record<string, (() => string) | undefined>> = {
    XSW1: () => xml.replace('</samlp:Response>', `${xml.replaceAll('_r1', '_r0')}</samlp:Response>`),
    XSW2: () => xml.replace('<saml:Issuer>', `${xml.replaceAll('_r1', '_r0')}<saml:Issuer>`),
    XSW3: () => xml.replace(assertion, EVIL + assertion),
    XSW4: () => xml.replace(assertion, evil(assertion)),
    XSW5: () => xml.replace(assertion, evil(signature) + bare),
    XSW6: () => xml.replace(assertion, evil(signature.replace('</Signature>', `${bare}</Signature>`))),
    XSW7: () => xml.replace(assertion, `<samlp:Extensions>${EVIL}</samlp:Extensions>${assertion}`),
    XSW8: () =>
      xml.replace(assertion, evil(signature.replace('</Signature>', `<Object>${bare}</Object></Signature>`))),
    'second assertion inside Extensions of the response': () =>
      xml.replace('<samlp:Status>', `<samlp:Extensions>${EVIL}</samlp:Extensions><samlp:Status>`),
    'second assertion inside Object of the signature': () =>
      xml.replace('</Signature>', `<Object>${EVIL}</Object></Signature>`),
    'same ID on response and assertion': () => xml.replaceAll('_r1', '_a1'),
    'two Reference': () => xml.replace(/<Reference[\s\S]*<\/Reference>/, (each) => each + each),
    'comment inside DigestValue': () => xml.replace('</DigestValue>', '<!-- x --></DigestValue>'),
    'reference with an empty URI inside the assertion': () => xml.replace('URI="#_a1"', 'URI=""'),
    'attribute changed after signing': () => xml.replace('>eng<', '>admins<'),
  };
  if (wrap === '') return xml;
  const move = moves[wrap];
  if (move === undefined) throw new Error(`no recipe for ${wrap}`);
  return move();
}

function encoded(xml: string, change: Readonly<Record<string, unknown>>): string {
  let bytes = Buffer.from(xml);
  if (change['size'] !== undefined) {
    bytes = Buffer.from(xml.replace('</samlp:Response>', `${' '.repeat(300 * 1_024)}</samlp:Response>`));
  }
  if (typeof change['depth'] === 'number') {
    const { depth } = change;
    bytes = Buffer.from(
      xml.replace(
        '<samlp:Status>',
        `${'<samlp:Extensions>'.repeat(depth)}${'</samlp:Extensions>'.repeat(depth)}<samlp:Status>`,
      ),
    );
  }
  if (change['utf8'] === 'invalid') bytes = Buffer.concat([bytes, Buffer.from([0xc3, 0x28])]);
  if (change['encoding'] === 'base64url')
    return Buffer.concat([bytes, Buffer.from('\n<!--\u{3ff}???>>>-->')]).toString('base64url');
  if (change['encoding'] !== undefined) return textOf(change['encoding']);
  return bytes.toString('base64');
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
