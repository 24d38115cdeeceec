import { MailEntity, OrganisationEntity, queueMail } from '@gw/entities';
import { randomAlphanumeric, readSettings, sealingKeyring, uuidv7 } from '@gw/kernel';
import { Mailer, mailServerOf, MAIL_SETTINGS } from '@gw/mail';
import { eventually, testDatabase } from '@gw/testing';
import { createLog } from '@gw/web';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { createWorker } from '../../app';
import { readWorkerSettings } from '../../settings';
import { MailProcessor } from './mail.processor';

const MASTER = Buffer.alloc(32, 9);

describe('mail job', () => {
  const database = testDatabase();
  const organisationId = uuidv7();
  const keyring = sealingKeyring(MASTER);
  const received: { readonly to: string; readonly raw: string }[] = [];
  let refusal: number | null;
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: (_address, _session, done) => {
      done(refusal === null ? null : Object.assign(new Error('No.'), { responseCode: refusal }));
    },
    onData: (stream, { envelope }, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const to = envelope.rcptTo[0]?.address ?? '';
        received.push({ to, raw: Buffer.concat(chunks).toString('utf8') });
        done();
      });
    },
  });
  let environment: Record<string, string>;

  beforeAll(async () => {
    await database.dataSource.manager.insert(OrganisationEntity, {
      ...{ id: organisationId, name: 'Acme', slug: 'acme' },
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    environment = {
      SMTP_HOST: '127.0.0.1',
      SMTP_PORT: String((server.server.address() as AddressInfo).port),
      SMTP_SECURE: 'none',
      SMTP_FROM: 'gateway@acme.example',
    };
  });
  beforeEach(async () => {
    refusal = null;
    received.length = 0;
    await database.dataSource.query('TRUNCATE mails');
  });
  afterAll(() => new Promise<void>((done) => server.close(done)));

  const queue = (to: readonly string[], text = 'Hello.', topic = randomAlphanumeric(8)): Promise<void> =>
    queueMail(database.dataSource.manager, keyring, {
      ...{ organisationId, topic, to },
      message: { subject: 'News', paragraphs: [text], action: null },
    });
  const processor = (more: Record<string, string> = {}): MailProcessor => {
    const to = mailServerOf(readSettings(MAIL_SETTINGS, { ...environment, ...more }));
    const post = to && { mailer: new Mailer(to), keyring };
    return new MailProcessor(database.dataSource, post, createLog('test', 'silent'));
  };
  const waiting = (): Promise<MailEntity[]> => database.dataSource.manager.find(MailEntity);
  const makeDue = (): Promise<unknown> =>
    database.dataSource.query(`UPDATE mails SET due_at = now() - interval '1 second'`);

  it('sends each mail once, also with several workers, and deletes it', async () => {
    const addresses = Array.from({ length: 24 }, (_, index) => `p${String(index)}@example.com`);
    await queue(addresses);
    await Promise.all([processor().process(), processor().process(), processor().process()]);
    expect(received.map(({ to }) => to).sort()).toEqual([...addresses].sort());
    expect(await waiting()).toEqual([]);
  });

  it('keeps waiting texts sealed and out of the job payloads', async () => {
    const link = `https://console.example/invite/${randomAlphanumeric(48)}`;
    await queue(['ada@example.com'], link);
    expect(JSON.stringify(await waiting())).not.toContain(link);
    const settings = readWorkerSettings({
      ...environment,
      DATABASE_URL: database.url,
      SERVICE_TOKEN: 'a service token of tests',
      ENCRYPTION_KEY: MASTER.toString('base64'),
      DB_POOL_SIZE: '3',
    });
    const worker = await createWorker(settings, createLog('test', 'silent'));
    await worker.init();
    try {
      await eventually(() => received.length === 1);
      expect(received[0]?.raw).toContain(link.slice(0, 60));
      const tables: { name: string }[] = await database.dataSource.query(
        `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = 'bullmq'`,
      );
      expect(tables.length).toBeGreaterThan(0);
      for (const { name } of tables) {
        const rows: unknown = await database.dataSource.query(`SELECT * FROM ${name}`);
        expect(JSON.stringify(rows)).not.toContain(link);
      }
    } finally {
      await worker.close();
    }
  });

  it('replaces a waiting mail by a newer one of the same topic', async () => {
    await queue(['ada@example.com'], 'Old.', 'invite/1');
    await queue(['Ada@Example.com'], 'New.', 'invite/1');
    await processor().process();
    expect(received).toHaveLength(1);
    expect(received[0]?.raw).toContain('New.');
  });

  it('retries a deferred mail a bounded number of times', async () => {
    refusal = 451;
    await queue(['ada@example.com']);
    for (let attempts = 1; attempts <= 5; attempts += 1) {
      await processor().process();
      await processor().process();
      const [mail] = await waiting();
      expect(mail?.attempts).toBe(attempts);
      expect(mail?.dueAt.getTime()).toBeGreaterThan(Date.now() + 60_000 * (2 ** attempts - 1));
      await makeDue();
    }
    await processor().process();
    expect(await waiting()).toEqual([]);
  });

  it('drops a permanently refused mail without a retry, and sends the next', async () => {
    refusal = 550;
    await queue(['ada@example.com', 'bob@example.com']);
    await processor().process();
    expect(await waiting()).toEqual([]);
  });

  it('keeps all mails in the queue while the server does not respond', async () => {
    await queue(['ada@example.com', 'bob@example.com']);
    await processor({ SMTP_PORT: '9' }).process();
    expect((await waiting()).map(({ attempts }) => attempts).sort()).toEqual([0, 1]);
  });

  it('drops expired mails, even if mail is disabled', async () => {
    await queue(['ada@example.com']);
    await processor({ SMTP_HOST: '' }).process();
    expect(await waiting()).toHaveLength(1);
    await database.dataSource.query(`UPDATE mails SET created_at = now() - interval '4 days'`);
    await processor({ SMTP_HOST: '' }).process();
    expect(await waiting()).toEqual([]);
  });
});
