import { parse } from 'tldts';

/** Domains of public mail providers, where anyone can get an address. */
const PUBLIC_MAIL: ReadonlySet<string> = new Set([
  ...[
    'gmail.com',
    'googlemail.com',
    'outlook.com',
    'hotmail.com',
    'live.com',
    'msn.com',
    'yahoo.com',
    'ymail.com',
  ],
  ...[
    'icloud.com',
    'me.com',
    'mac.com',
    'proton.me',
    'protonmail.com',
    'pm.me',
    'aol.com',
    'gmx.com',
    'gmx.de',
  ],
  ...[
    'gmx.net',
    'web.de',
    'mail.com',
    'mail.ru',
    'yandex.com',
    'yandex.ru',
    'zoho.com',
    'fastmail.com',
    'hey.com',
  ],
  ...[
    'qq.com',
    '163.com',
    '126.com',
    'sina.com',
    'foxmail.com',
    'naver.com',
    'daum.net',
    'tutanota.com',
    'tuta.io',
  ],
  ...[
    'free.fr',
    'orange.fr',
    'wanadoo.fr',
    'laposte.net',
    'libero.it',
    'virgilio.it',
    't-online.de',
    'freenet.de',
  ],
  ...[
    'comcast.net',
    'verizon.net',
    'att.net',
    'sbcglobal.net',
    'btinternet.com',
    'sky.com',
    'rediffmail.com',
  ],
]);

/** Matches reserved names (RFC 2606), which public suffix lists do not contain. */
const RESERVED = /(?:^|\.)(?:example|test|invalid|localhost)$/;

/**
 * Returns why an organisation cannot verify a domain; null when it can. `domain` is in lower case
 * and ASCII. `allowSubdomains` is possible only for a registered domain, not for a subdomain of
 * one.
 */
export function domainFault(domain: string, allowSubdomains: boolean): string | null {
  const {
    domain: registered,
    isIcann,
    isPrivate,
    hostname,
    publicSuffix,
  } = parse(domain, { allowPrivateDomains: true });
  const isName = hostname === domain && /^(?:[a-z0-9-]{1,63}\.)+[a-z0-9-]{2,63}$/.test(domain);
  if (!isName) return 'must be a domain name, such as example.org';
  const isPublic = isIcann === true || isPrivate === true || RESERVED.test(domain);
  if (!isPublic) return 'must end in a public top-level domain';
  if (registered === null || domain === publicSuffix)
    return 'must not be a suffix under which anyone registers names';
  if (PUBLIC_MAIL.has(domain) || PUBLIC_MAIL.has(registered)) {
    return 'must not belong to a mail service that gives addresses to everyone';
  }
  if (allowSubdomains && registered !== domain) return `can count for subdomains only as ${registered}`;
  return null;
}
