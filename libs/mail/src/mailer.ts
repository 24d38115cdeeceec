import type { MailMessage } from '@gw/contracts';
import { createTransport } from 'nodemailer';
import { layOut } from './layout';
import type { MailServer } from './settings';

const CONNECT_MS = 10_000;
const GREETING_MS = 10_000;
/** Maximum time without data from the server, in milliseconds. */
const SILENCE_MS = 20_000;

/** An error for a mail that the server did not accept. */
export class MailError extends Error {
  override readonly name = 'MailError';
  constructor(
    /**
     * `refused`: the server will never accept this mail. `later`: it may accept this mail later.
     * `unreachable`: it currently accepts no mail at all.
     */
    readonly kind: 'refused' | 'later' | 'unreachable',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Sends mails by SMTP, each over its own connection. */
export class Mailer {
  private readonly transport: ReturnType<typeof openTransport>;

  constructor(private readonly server: MailServer) {
    this.transport = openTransport(server);
  }

  /** Resolves once the server has accepted the mail. Throws `MailError`. */
  async send(to: string, message: MailMessage): Promise<void> {
    try {
      await this.transport.sendMail({
        from: this.server.from,
        // As an object, an address is exactly one recipient, whatever it contains.
        to: { name: '', address: to },
        ...layOut(message, this.server.brand),
      });
    } catch (error) {
      throw toMailError(error);
    }
  }
}

function openTransport({ host, port, security, credentials }: MailServer) {
  return createTransport({
    host,
    port,
    secure: security === 'tls',
    // Without this a server, or a proxy before it, could request the password unencrypted.
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(credentials === null ? {} : { auth: { user: credentials.user, pass: credentials.password } }),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: GREETING_MS,
    socketTimeout: SILENCE_MS,
    dnsTimeout: CONNECT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

function toMailError(error: unknown): MailError {
  const { responseCode, code } = error as { readonly responseCode?: number; readonly code?: string };
  const concernsMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  const kind = !concernsMail ? 'unreachable' : (responseCode ?? 500) >= 500 ? 'refused' : 'later';
  // The server's text may repeat addresses; the code is enough.
  return new MailError(kind, `The mail server responded ${String(responseCode ?? code ?? 'nothing')}.`, {
    cause: error,
  });
}
