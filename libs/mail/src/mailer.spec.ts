import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { Mailer } from './mailer';
import type { MailServer } from './settings';

const MESSAGE = { subject: 'Hello', paragraphs: ['First.', 'Second.'], action: null };

describe('Mailer', () => {
  const received: { to: string[]; raw: string }[] = [];
  let passwords: unknown[];
  let server: SMTPServer | undefined;
  let port: number;
  beforeEach(() => {
    received.length = 0;
    passwords = [];
  });
  afterEach(async () => {
    await new Promise<void>((done) => (server ? server.close(done) : done()));
    server = undefined;
  });

  async function serve(options: SMTPServerOptions = {}): Promise<void> {
    const smtp = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      // Sends its own name in the greeting, so that no name is looked up.
      disableReverseLookup: true,
      onAuth: ({ password }, _session, done) => {
        passwords.push(password);
        done(null, { user: 'someone' });
      },
      onData: (stream, { envelope }, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const raw = Buffer.concat(chunks).toString('utf8');
          received.push({ to: envelope.rcptTo.map(({ address }) => address), raw });
          done();
        });
      },
      ...options,
    });
    server = smtp;
    smtp.on('error', () => undefined);
    await new Promise<void>((done) => smtp.listen(0, '127.0.0.1', done));
    ({ port } = smtp.server.address() as AddressInfo);
  }

  const mailer = (more: Partial<MailServer> = {}): Mailer =>
    new Mailer({
      host: '127.0.0.1',
      port,
      security: 'none',
      credentials: null,
      from: { name: 'Acme', address: 'gateway@acme.example' },
      brand: { name: 'Acme AI', logoUrl: null, supportEmail: 'help@acme.example', docsUrl: null },
      ...more,
    });

  it('sends a message as equal text and HTML from the configured sender', async () => {
    await serve();
    const action = { label: 'Accept', url: 'https://console.example/invite/abc' };
    await mailer().send('ada@example.com', { ...MESSAGE, action });
    expect(received.map(({ to }) => to)).toEqual([['ada@example.com']]);
    const [text, html] = received[0]?.raw.split('text/html') ?? [];
    expect(text).toContain('From: Acme <gateway@acme.example>');
    expect(text).toContain('Subject: Hello');
    expect(text).toContain('First.\r\n\r\nSecond.\r\n\r\nAccept:\r\nhttps://console.example/invite/abc');
    expect(html).toContain('<p>First.</p>');
    expect(html).toContain('https://console.example/invite/abc');
    for (const part of [text, html]) expect(part).toContain('Questions: help@acme.example');
  });

  it('escapes user content in markup, headers and recipients', async () => {
    await serve();
    const subject = 'Hi\r\nBcc: eve@example.com';
    await mailer().send('ada@example.com', { ...MESSAGE, subject, paragraphs: ['<img src=x>'] });
    expect(received[0]?.to).toEqual(['ada@example.com']);
    expect(received[0]?.raw).not.toMatch(/^Bcc:/m);
    expect(received[0]?.raw).toContain('<p>&lt;img src');
    await mailer()
      .send('ada@example.com, eve@example.com', MESSAGE)
      .catch(() => undefined);
    expect(received.flatMap(({ to }) => to)).not.toContain('eve@example.com');
  });

  it.each([
    [550, 'refused'],
    [451, 'later'],
  ])('maps the status %i to the failure %s, without the server’s text', async (responseCode, kind) => {
    await serve({
      onRcptTo: (_address, _session, done) => {
        done(Object.assign(new Error('ada@example.com is unknown here'), { responseCode }));
      },
    });
    await expect(mailer().send('ada@example.com', MESSAGE)).rejects.toMatchObject({
      kind,
      message: `The mail server responded ${String(responseCode)}.`,
    });
  });

  it('reports an unreachable server', async () => {
    await serve();
    await new Promise<void>((done) => server?.close(done));
    server = undefined;
    await expect(mailer().send('ada@example.com', MESSAGE)).rejects.toMatchObject({ kind: 'unreachable' });
  });

  it.each([
    ['offers no encryption', {}],
    // Node's built-in certificate, about which nodemailer warns unless its logger is off.
    ['shows an untrusted certificate', { disabledCommands: [], logger: false }],
  ])('does not send its password to a server that %s', async (_, options) => {
    await serve({ ...options, allowInsecureAuth: true });
    const careful = mailer({ security: 'starttls', credentials: { user: 'u', password: 'p' } });
    await expect(careful.send('ada@example.com', MESSAGE)).rejects.toMatchObject({ kind: 'unreachable' });
    expect([passwords, received]).toEqual([[], []]);
  });

  it('logs in without encryption if the settings allow it', async () => {
    await serve({ allowInsecureAuth: true });
    await mailer({ credentials: { user: 'u', password: 'p' } }).send('ada@example.com', MESSAGE);
    expect([passwords, received.length]).toEqual([['p'], 1]);
  });
});
