import { feature, flag, optional, type Setting } from '@gw/kernel';
import { privateUseUriFault } from '@gw/oauth';

/** `https://gateway.example.com`: the origin alone, since issuer and resources are made of it. */
const origin: Setting<string> = {
  fallback: undefined,
  parse: (text) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    const isOrigin =
      url !== null &&
      (url.protocol === 'https:' || url.protocol === 'http:') &&
      [url.origin, `${url.origin}/`].includes(text.toLowerCase()) &&
      url.username === '';
    if (!isOrigin) throw new Error('must be an origin, such as https://gateway.example.com, without a path');
    return url.origin;
  },
};

const addresses: Setting<readonly string[]> = {
  fallback: [],
  parse: (text) => {
    const list = text
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== '');
    for (const address of list) {
      const fault = privateUseUriFault(address);
      if (fault !== undefined) throw new Error(`has an address that cannot be allowed: ${address} ${fault}`);
    }
    return list;
  },
};

/** Which clients may be documents at URLs: all, none, or those of these hosts. */
const clientDocuments: Setting<'any' | 'off' | readonly string[]> = {
  fallback: 'any',
  parse: (text) => {
    if (text === 'any' || text === 'off') return text;
    const hosts = text.split(',').map((each) => each.trim().toLowerCase());
    const isHost = (host: string): boolean => {
      const url = `https://${host}/`;
      return URL.canParse(url) && new URL(url).href === url;
    };
    if (!hosts.every(isHost)) throw new Error('must be any, off, or hosts such as claude.ai,app.example.com');
    return hosts;
  },
};

/** Settings of the OAuth server. */
export const OAUTH_SETTINGS = {
  OAUTH_ENABLED: feature(),
  /**
   * Public origin of this installation. It is the issuer of the OAuth server, which is off without it.
   */
  PUBLIC_URL: optional(origin),
  /** False: clients cannot register themselves. */
  OAUTH_DCR: flag(true),
  /** Whether clients can be documents at URLs (Client ID Metadata Documents), and of which hosts. */
  OAUTH_CIMD: clientDocuments,
  /** False: no device flow, in which a code from one screen is typed on another. */
  DEVICE_FLOW: flag(true),
  /** Private-use redirect addresses that clients may register, whole addresses separated by commas. */
  OAUTH_PRIVATE_SCHEMES: addresses,
};
