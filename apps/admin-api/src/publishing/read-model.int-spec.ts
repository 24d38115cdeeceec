import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { documentKey, documentRedisKey, INTERNAL, type ControlPlaneEvent } from '@gw/contracts';
import { OrganisationEntity } from '@gw/entities';
import { keyringOf, uuidv7 } from '@gw/kernel';
import { createReadModel, type ReadModel, type ReadModelLimits } from '@gw/read-model';
import { connectRedis, redisReady } from '@gw/redis';
import { eventually, testDatabase, withRedis } from '@gw/testing';
import { Global, Module } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { NestFactory } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { CredentialsService } from '../platform/credentials/credentials.service';
import { GuardrailCredentials } from '../platform/credentials/guardrail-credentials';
import { SecretAccess } from '../platform/credentials/secret-access';
import { SigningKeys } from '../platform/oauth/signing-keys';
import { Secrets, SETTINGS } from '../settings';
import { ChangeRecorder } from '../platform/unit-of-work/change-recorder';
import { ReadModelModule } from './read-model.module';

const TOKEN = 'service-token-of-the-test-0123456789';
/**
 * Limits that are shorter than in production but longer than a heartbeat, so that lost events are
 * noticed within 3 s.
 */
const FAST: Partial<ReadModelLimits> = { silenceMaxMs: 2_500, unverifiedMaxMs: 500 };

/** A proxy between a gateway and the admin API that can drop data. */
class Wire {
  /** Keeps the event stream open without sending anything. */
  isMute = false;
  /** Blocks all traffic. */
  isCut = false;
  reads = 0;
  target = 0;
  private constructor(private readonly server: Server) {}

  static async open(): Promise<Wire> {
    const server = createServer((req, res) => {
      wire.pass(req, res);
    });
    const wire = new Wire(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return wire;
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  cut(): void {
    this.isCut = true;
    this.server.closeAllConnections();
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private pass(req: IncomingMessage, res: ServerResponse): void {
    if (this.isCut) {
      req.socket.destroy();
      return;
    }
    if (req.url === INTERNAL.documents) this.reads += 1;
    const { method, url: path } = req;
    const headers = { ...req.headers, connection: 'close' };
    const out = request({ host: '127.0.0.1', port: this.target, method, path, headers, agent: false });
    out.on('error', () => res.destroy());
    out.on('response', (response) => {
      res.writeHead(response.statusCode ?? 502, response.headers).flushHeaders();
      response.on('data', (chunk: Buffer) => {
        if (!this.isMute || path === INTERNAL.documents) res.write(chunk);
      });
      response.on('end', () => res.end());
      response.on('error', () => res.destroy());
    });
    res.on('close', () => out.destroy());
    req.pipe(out);
  }
}

describe.each(['http', 'redis'] as const)('read model over %s', (driver) => {
  const folder = mkdtempSync(join(tmpdir(), 'read-model-'));
  let admin: NestFastifyApplication;
  let wire: Wire;
  const models: ReadModel[] = [];
  // Registered before the hooks of database and Redis; hooks run in the order of registration.
  afterAll(async () => {
    await admin.close();
    wire.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const database = testDatabase();
  const redis = driver === 'redis' ? withRedis() : null;

  async function startAdmin(): Promise<void> {
    @Global()
    @Module({
      providers: [
        { provide: DataSource, useValue: database.dataSource },
        { provide: SETTINGS, useValue: { REDIS_URL: redis?.url ?? null, PUBLIC_URL: null } },
        {
          provide: CredentialsService,
          useValue: new CredentialsService(new Secrets(Buffer.alloc(32, 1), TOKEN)),
        },
        {
          provide: SecretAccess,
          useValue: new SecretAccess(new Secrets(Buffer.alloc(32, 1), TOKEN)),
        },
        { provide: Secrets, useValue: new Secrets(Buffer.alloc(32, 1), TOKEN) },
        GuardrailCredentials,
        SigningKeys,
      ],
      exports: [
        ...[DataSource, SETTINGS, Secrets, SigningKeys],
        ...[CredentialsService, SecretAccess, GuardrailCredentials],
      ],
    })
    class Surroundings {}
    @Module({ imports: [Surroundings, ReadModelModule] })
    class TestApp {}
    admin = await NestFactory.create<NestFastifyApplication>(TestApp, new FastifyAdapter(), {
      logger: false,
    });
    await admin.listen(0, '127.0.0.1');
    wire.target = (admin.getHttpServer().address() as AddressInfo).port;
  }

  async function startModel(
    options: { disk?: string; limits?: Partial<ReadModelLimits> } = {},
  ): Promise<ReadModel> {
    const model = createReadModel({
      adminUrl: wire.url,
      serviceToken: TOKEN,
      redisUrl: redis?.url ?? null,
      ...(options.disk
        ? { disk: { path: join(folder, options.disk), ring: keyringOf('test', Buffer.alloc(32, 9)) } }
        : {}),
      ...(options.limits ? { limits: options.limits } : {}),
    });
    models.push(model);
    await model.start();
    return model;
  }

  const isLive = (model: ReadModel): Promise<true> =>
    eventually(() => model.state().verified && model.state().source === driver);

  async function create(): Promise<string> {
    const id = uuidv7();
    await database.dataSource.transaction(async (manager) => {
      await manager.insert(OrganisationEntity, { id, name: 'first', slug: id });
      await new ChangeRecorder().record(manager, { changed: [documentKey.organisation(id)] });
    });
    return id;
  }

  const rename = (id: string, name: string): Promise<void> =>
    database.dataSource.transaction(async (manager) => {
      await manager.update(OrganisationEntity, { id }, { name });
      await new ChangeRecorder().record(manager, { changed: [documentKey.organisation(id)] });
    });

  const remove = (id: string): Promise<void> =>
    database.dataSource.transaction(async (manager) => {
      await manager.delete(OrganisationEntity, { id });
      await new ChangeRecorder().record(manager, { removed: [documentKey.organisation(id)] });
    });

  beforeAll(async () => {
    wire = await Wire.open();
    await startAdmin();
  });
  afterEach(async () => {
    await Promise.all(models.splice(0).map((model) => model.stop()));
    wire.isMute = wire.isCut = false;
  });
  it('shows a change soon after its commit, also of a document that did not exist before', async () => {
    const model = await startModel();
    await isLive(model);
    const id = await create();
    expect(await model.loadOrganisation(id)).toMatchObject({ name: 'first' });
    await rename(id, 'second');
    await eventually(() => model.getOrganisation(id)?.name === 'second', { everyMs: 5 });
  });

  it('[AUT-06] refuses a removed document soon after its commit', async () => {
    const model = await startModel();
    await isLive(model);
    const id = await create();
    await model.loadOrganisation(id);
    await remove(id);
    await eventually(() => model.getOrganisation(id) === null, { everyMs: 5 });
  });

  it('serves known documents and refuses unknown ones while all its sources are down', async () => {
    const model = await startModel({ limits: FAST });
    await isLive(model);
    const id = await create();
    await model.loadOrganisation(id);
    wire.cut();
    await redis?.kill();
    await eventually(() => !model.state().verified);
    expect(await model.loadOrganisation(id)).toMatchObject({ name: 'first' });
    await expect(model.loadOrganisation(uuidv7())).rejects.toMatchObject({ type: 'unavailable' });
    await rename(id, 'meanwhile');
    wire.isCut = false;
    await redis?.start();
    await isLive(model);
    await eventually(() => model.getOrganisation(id)?.name === 'meanwhile');
  });

  it('starts from disk without a control plane, and catches up when the control plane is available again', async () => {
    const disk = `copy-${driver}`;
    const first = await startModel({ disk });
    await isLive(first);
    const [kept, gone] = [await create(), await create()];
    await Promise.all([first.loadOrganisation(kept), first.loadOrganisation(gone)]);
    await first.stop();
    wire.cut();
    await redis?.kill();
    await remove(gone);
    const second = await startModel({ disk });
    expect(await second.loadOrganisation(kept)).toMatchObject({ id: kept });
    expect(await second.loadOrganisation(gone)).toMatchObject({ id: gone });
    wire.isCut = false;
    await redis?.start();
    await isLive(second);
    expect(await second.loadOrganisation(gone)).toBeNull();
    expect(second.getOrganisation(kept)).toMatchObject({ id: kept });
  });

  it('continues after a restart of the admin API, including changes made in the meantime', async () => {
    const model = await startModel();
    await isLive(model);
    const id = await create();
    await model.loadOrganisation(id);
    await admin.close();
    await rename(id, 'while it was away');
    await startAdmin();
    await eventually(() => model.getOrganisation(id)?.name === 'while it was away');
    await isLive(model);
  });

  if (driver === 'http') {
    it('[AUT-06] detects silently lost events, and verifies documents that are in use', async () => {
      const model = await startModel({ limits: FAST });
      await isLive(model);
      const id = await create();
      await model.loadOrganisation(id);
      wire.isMute = true;
      await remove(id);
      await eventually(async () => (await model.loadOrganisation(id)) === null);
    });

    /** Returns the events after a sequence, up to the first heartbeat. */
    async function eventsAfter(sequence: number): Promise<ControlPlaneEvent[]> {
      const response = await fetch(`${wire.url}${INTERNAL.events}?after=${String(sequence)}`);
      const events: ControlPlaneEvent[] = [];
      let text = '';
      for await (const chunk of response.body as ReadableStream<Uint8Array>) {
        const lines = (text + Buffer.from(chunk).toString()).split('\n');
        text = lines.pop() ?? '';
        for (const line of lines) {
          const event = JSON.parse(line) as ControlPlaneEvent;
          events.push(event);
          if (event.type === 'heartbeat') return events;
        }
      }
      return events;
    }

    it('sends a reset for a sequence that it cannot replay from, followed by a heartbeat', async () => {
      await create();
      const lines = await eventsAfter(999_999_999);
      expect(lines.map(({ type }) => type)).toEqual(['reset', 'heartbeat']);
      expect(lines[1]?.sequence).toBe(lines[0]?.sequence);
    });

    it('replays every event after a sequence in order, each with its previous sequence', async () => {
      const events = await eventsAfter(0);
      const [rows] = await database.dataSource.query<[{ count: number }]>(
        'SELECT count(*)::int AS count FROM change_events',
      );
      expect(events).toHaveLength(rows.count + 1);
      let previous = 0;
      for (const event of events.slice(0, -1)) {
        expect(event).toMatchObject({ type: 'change', previous });
        previous = event.sequence;
      }
    });
  } else {
    it('is served by Redis alone for documents that another gateway has requested', async () => {
      const id = await create();
      // A gateway that has got no message from Redis for seconds reads from the admin API.
      await eventually(async () => {
        const model = await startModel();
        await isLive(model);
        const before = wire.reads;
        expect(await model.loadOrganisation(id)).toMatchObject({ id });
        expect(wire.reads).toBe(before);
        return true;
      });
    });

    it('works over HTTP for both gateways while Redis is down, and returns to Redis', async () => {
      const model = await startModel();
      await isLive(model);
      const id = await create();
      await model.loadOrganisation(id);
      await redis?.kill();
      await eventually(() => model.state().verified && model.state().source === 'http');
      await rename(id, 'without Redis');
      await eventually(() => model.getOrganisation(id)?.name === 'without Redis');
      await redis?.start();
      await isLive(model);
    });

    it('serves documents from Redis that it has never read before while the admin API is down', async () => {
      const id = await create();
      await isLive(await startModel());
      await admin.close();
      const model = await startModel();
      await eventually(async () => (await model.loadOrganisation(id))?.name === 'first');
      await expect(model.loadOrganisation(uuidv7())).rejects.toMatchObject({ type: 'unavailable' });
      await startAdmin();
    });

    it('corrects Redis when it returns with old data', async () => {
      const id = await create();
      const client = connectRedis({ url: redis?.url ?? '', name: 'test' });
      await redisReady(client, 20_000);
      const copyOf = async (): Promise<string | null> =>
        client.get(documentRedisKey(documentKey.organisation(id)));
      const published = async (): Promise<number> => Number(await client.get('gw:events:published'));
      /** Resolves when the change and the sequence after it are in Redis. */
      const isPublished = async (name: string): Promise<void> => {
        const [row] = await database.dataSource.query<[{ newest: number }]>(
          'SELECT max(sequence)::int AS newest FROM change_events',
        );
        await eventually(async () => (await copyOf())?.includes(name));
        await eventually(async () => (await published()) === row.newest);
      };
      await isPublished('first');
      const [old, sequence] = [await copyOf(), await published()];
      await rename(id, 'newer');
      await isPublished('newer');
      await client.set(documentRedisKey(documentKey.organisation(id)), old ?? '');
      await client.set('gw:events:published', sequence);
      await client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      await eventually(async () => (await copyOf())?.includes('newer'));
      client.disconnect();
    });
  }
});
