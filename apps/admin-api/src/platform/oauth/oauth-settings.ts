import { feature, flag, optional, type Setting } from '@gw/kernel';

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
  parse: (text) =>
    text
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== ''),
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
  /** False: no device flow, in which a code from one screen is typed on another. */
  DEVICE_FLOW: flag(true),
  /** Private-use redirect addresses that clients may register, whole addresses separated by commas. */
  OAUTH_PRIVATE_SCHEMES: addresses,
};
