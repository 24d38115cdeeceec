import { eventually, startProduct, type Product } from '@gw/testing';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

const PASSWORD = 'correct horse battery staple';

describe('product with a mail server', () => {
  const mails: { readonly to: string | undefined; readonly text: string }[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, { envelope }, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        // Removes soft line breaks of quoted-printable.
        const text = Buffer.concat(chunks).toString('utf8').replaceAll('=\r\n', '');
        mails.push({ to: envelope.rcptTo[0]?.address, text });
        done();
      });
    },
  });
  let product: Product;

  beforeAll(async () => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    product = await startProduct({
      environment: {
        SMTP_HOST: '127.0.0.1',
        SMTP_PORT: String((server.server.address() as AddressInfo).port),
        SMTP_SECURE: 'none',
        SMTP_FROM: 'Acme AI <gateway@acme.example>',
        CONSOLE_URL: 'https://console.acme.example',
      },
    });
  });
  afterAll(async () => {
    await product.stop();
    await new Promise<void>((done) => server.close(done));
  });

  async function post(path: string, body: object, key?: string): Promise<Record<string, unknown>> {
    const response = await fetch(`${product.adminUrl}/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key === undefined ? {} : { 'x-gw-api-key': key }) },
      body: JSON.stringify(body),
    });
    expect([path, response.status]).toEqual([path, 200]);
    return (await response.json()) as Record<string, unknown>;
  }

  it('mails an invited user a working link', async () => {
    const invite = { email: 'ada@example.com', role: 'member', workspaces: [] };
    const { invite_link: link } = await post(
      '/admin/users/invites',
      invite,
      product.credentials.admin_api_key,
    );
    const mail = await eventually(() => mails[0], { timeoutMs: 60_000 });
    expect(mail.to).toBe('ada@example.com');
    expect(mail.text).toContain('From: Acme AI <gateway@acme.example>');
    const [mailed, token] = /https:\/\/console\.acme\.example\/invite\/(\w+)/.exec(mail.text) ?? [];
    expect(mailed).toBeDefined();
    // A response with the link would let the inviter set the password.
    expect(link).toBeNull();
    await post('/invites/accept', { token, password: PASSWORD });
    const session = await post('/auth/login', { email: 'ada@example.com', password: PASSWORD });
    expect(session['auth_token']).toEqual(expect.any(String));
    expect(mails).toHaveLength(1);
  });
});
