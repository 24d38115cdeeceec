import { optional, port, SettingsError, text, url, type Setting } from '@gw/kernel';

/**
 * Encryption of the connection to the server. `none` is for a server on the same machine or
 * network.
 */
type Security = 'tls' | 'starttls' | 'none';

/** Also accepts `true` for `tls` and `false` for `starttls`, like many tools. */
const security: Setting<Security | null> = {
  fallback: null,
  parse: (value) => {
    const named = { true: 'tls', tls: 'tls', false: 'starttls', starttls: 'starttls', none: 'none' } as const;
    const found = Object.entries(named).find(([name]) => name === value.toLowerCase());
    if (!found) throw new Error('must be one of tls, starttls, none');
    return found[1];
  },
};

/** Settings of mail. Mail is off without SMTP_HOST. */
export const MAIL_SETTINGS = {
  SMTP_HOST: optional(text()),
  SMTP_PORT: port(587),
  SMTP_USER: optional(text()),
  SMTP_PASSWORD: optional(text()),
  /** The sender: an address, `Name <address>`, or only a name if SMTP_MAIL has the address. */
  SMTP_FROM: optional(text()),
  SMTP_MAIL: optional(text()),
  /** Absent: `tls` on port 465, `starttls` on others. */
  SMTP_SECURE: security,
  EMAIL_BRAND_NAME: text('Tollgate'),
  EMAIL_BRAND_LOGO_URL: optional(url({ protocols: ['https:'] })),
  EMAIL_BRAND_SUPPORT_EMAIL: optional(text()),
  EMAIL_BRAND_DOCS_URL: optional(url({ protocols: ['https:', 'http:'] })),
};

type MailSettings = {
  readonly [K in keyof typeof MAIL_SETTINGS]: (typeof MAIL_SETTINGS)[K] extends Setting<infer T> ? T : never;
};

export interface Brand {
  readonly name: string;
  readonly logoUrl: string | null;
  readonly supportEmail: string | null;
  readonly docsUrl: string | null;
}

export interface MailServer {
  readonly host: string;
  readonly port: number;
  readonly security: Security;
  readonly credentials: { readonly user: string; readonly password: string } | null;
  readonly from: { readonly name: string; readonly address: string };
  readonly brand: Brand;
}

/** Returns null if mail is off. Throws `SettingsError` for settings that contradict each other. */
export function mailServerOf(settings: MailSettings): MailServer | null {
  const { SMTP_HOST: host, SMTP_PORT, SMTP_USER: user, SMTP_PASSWORD: password } = settings;
  if (host === null) return null;
  if ((user === null) !== (password === null)) {
    throw new SettingsError([{ name: 'SMTP_USER', rule: 'and SMTP_PASSWORD are given together' }]);
  }
  return {
    host,
    port: SMTP_PORT,
    security: settings.SMTP_SECURE ?? (SMTP_PORT === 465 ? 'tls' : 'starttls'),
    credentials: user === null || password === null ? null : { user, password },
    from: senderOf(settings),
    brand: {
      name: settings.EMAIL_BRAND_NAME,
      logoUrl: settings.EMAIL_BRAND_LOGO_URL,
      supportEmail: settings.EMAIL_BRAND_SUPPORT_EMAIL,
      docsUrl: settings.EMAIL_BRAND_DOCS_URL,
    },
  };
}

function senderOf({ SMTP_FROM, SMTP_MAIL, EMAIL_BRAND_NAME }: MailSettings): MailServer['from'] {
  const from = SMTP_FROM ?? '';
  const named = /^([^<>]*)<([^<>\s@]+@[^<>\s]+)>$/.exec(from);
  const address = named?.[2] ?? (/^[^\s<>@]+@[^\s<>]+$/.test(from) ? from : SMTP_MAIL);
  if (!address || !/^[^\s<>@]+@[^\s<>]+$/.test(address)) {
    throw new SettingsError([{ name: 'SMTP_FROM', rule: 'must be an address, or SMTP_MAIL must be one' }]);
  }
  const name = named?.[1]?.trim() ?? (from.includes('@') ? '' : from);
  return { name: name === '' ? EMAIL_BRAND_NAME : name, address };
}
