import { feature, flag, optional, type Setting } from '@gw/kernel';
import { privateUseUriFault } from '@gw/oauth';

/**
 * An origin such as `https://gateway.example.com`, without a path, since the issuer and resources
 * are derived from it.
 */
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

/** Which clients may be documents at URLs: all, none, or those on the listed hosts. */
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
   * Public origin of this installation and issuer of the OAuth server. Without it, the OAuth server
   * is off.
   */
  PUBLIC_URL: optional(origin),
  /** False disables dynamic client registration. */
  OAUTH_DCR: flag(true),
  /**
   * Whether clients may be documents at URLs (Client ID Metadata Documents), and on which hosts.
   */
  OAUTH_CIMD: clientDocuments,
  /**
   * False disables the device flow, in which a user enters on one device the code that another one
   * shows.
   */
  DEVICE_FLOW: flag(true),
  /**
   * Private-use redirect addresses that clients may register: complete addresses, separated by
   * commas.
   */
  OAUTH_PRIVATE_SCHEMES: addresses,
};
