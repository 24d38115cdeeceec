import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  credentialBinding,
  documentKey,
  type ApiKeyDocument,
  type ConfigDocument,
  type DocumentKey,
  type GuardrailDocument,
  completeLogRecord,
  type LogRecord,
  type OrganisationDocument,
  type PromptDocument,
  type PromptVersionDocument,
  type ProviderDocument,
  type ReadModelDocument,
  type WorkspaceDocument,
} from '@gw/contracts';
import { decodeFrames, Journal, Sealer, type Frame } from '@gw/journal';
import { apiKeyPepper, hashApiKey, journalKey, seal, sealingKeyring } from '@gw/kernel';
import type { LedgerStore } from '@gw/limits';
import { PROVIDERS, type Provider } from '@gw/providers';
import { keepLog, timeFaultsOf } from '@gw/testing';
import { createLog, type ServerDrain } from '@gw/web';
import { Faults } from '../core/faults';
import { RequestMetrics } from '../metrics/request-metrics';
import { createDataPlane, type DataPlane } from '../data-plane';
import { createGatewayServer } from '../http/server';
import { readGatewaySettings } from '../settings';
import type { ReloadableDocuments } from '../auth/documents';

export const ORGANISATION_ID = '0a000000-0000-4000-8000-000000000001';
export const WORKSPACE_ID = '0a000000-0000-4000-8000-000000000002';
export const OTHER_WORKSPACE_ID = '0a000000-0000-4000-8000-000000000003';

/** Control-plane documents in a map, without a control plane. */
export class MapDocuments implements ReloadableDocuments {
  private readonly documents = new Map<DocumentKey, ReadModelDocument>();

  get(key: DocumentKey): ReadModelDocument | null {
    return this.documents.get(key) ?? null;
  }
  load(key: DocumentKey): Promise<ReadModelDocument | null> {
    return Promise.resolve(this.get(key));
  }
  reload(key: DocumentKey): Promise<ReadModelDocument | null> {
    return Promise.resolve(this.get(key));
  }
  known(prefix: DocumentKey): readonly ReadModelDocument[] {
    return [...this.documents].flatMap(([key, document]) => (key.startsWith(prefix) ? [document] : []));
  }
  set(key: DocumentKey, document: ReadModelDocument): void {
    this.documents.set(key, document);
  }
  remove(key: DocumentKey): void {
    this.documents.delete(key);
  }
}

export interface LoggedRequest extends LogRecord {
  readonly requestBody: Buffer | null;
  readonly responseBody: Buffer | null;
}

const SERVICE_TOKEN = 'service-token-of-the-harness';

/**
 * The data plane with a real listener, documents in memory, and a journal in a folder of its own.
 */
export class GatewayHarness {
  readonly documents = new MapDocuments();
  readonly metrics = new RequestMetrics();
  readonly apiKey = 'validKey0000000000000000000000AB';
  private readonly folder = mkdtempSync(join(tmpdir(), 'gateway-'));
  readonly journal: Journal;
  /** Folder of the journal. */
  readonly home: { readonly directory: string; readonly sealer: Sealer };
  readonly plane: DataPlane;
  readonly faults: Faults;
  readonly server: Server;
  readonly drain: ServerDrain;
  private version = 0;
  private readonly timeFaults: string[] = [];

  private constructor(
    environment: Record<string, string>,
    balances: LedgerStore | null,
    readonly master: Buffer<ArrayBuffer>,
    providers: ReadonlyMap<string, Provider>,
  ) {
    const settings = readGatewaySettings({
      ENCRYPTION_KEY: this.master.toString('base64'),
      SERVICE_TOKEN,
      DATA_DIR: this.folder,
      TRUSTED_CUSTOM_HOSTS: '127.0.0.1',
      SANDBOX_ENABLED: 'on',
      // A response that takes longer begins as a stream, which a test that is not about it does not
      // expect, however busy the machine is.
      STREAM_KEEP_ALIVE: '600000',
      ...environment,
    });
    const listener = createGatewayServer(
      (req, res) => {
        this.plane.door.handle(req, res);
      },
      {
        takes: (req) => this.plane.realtime.takes(req),
        handle: (req, socket, head) => {
          this.plane.realtime.handle(req, socket, head);
        },
      },
      {
        headersTimeoutMs: settings.HEADERS_TIMEOUT,
        keepAliveTimeoutMs: settings.KEEP_ALIVE_TIMEOUT,
        connectionsMax: settings.MAX_CONNECTIONS,
      },
    );
    this.server = listener.server;
    this.drain = listener.drain;
    this.home = { directory: join(this.folder, 'journal'), sealer: new Sealer([journalKey(this.master)]) };
    this.journal = Journal.open(this.home);
    this.checkTimes();
    const log = createLog('gateway', 'silent');
    this.faults = new Faults(log);
    this.plane = createDataPlane({
      settings,
      documents: this.documents,
      providers,
      journal: this.journal,
      home: this.home,
      health: { parts: [], isReady: () => true },
      drain: this.drain,
      log,
      faults: this.faults,
      gatewayId: 'harness',
      balances,
      holderNames: null,
      chargesAlone: null,
      metrics: this.metrics,
    });
    // The event loop is that of the test as well, whose work is no overload of the gateway.
    this.plane.overload.stop();
    this.addTenant(WORKSPACE_ID, 'main');
    this.addKey(this.apiKey);
  }

  /**
   * `balances` is the durable record from which lost budgets are rebuilt. `master` is the master
   * key of another gateway to run next to; default: a new key.
   */
  static async start(
    environment: Record<string, string> = {},
    balances: LedgerStore | null = null,
    master = randomBytes(32),
    providers = PROVIDERS,
  ): Promise<GatewayHarness> {
    const harness = new GatewayHarness(environment, balances, master, providers);
    await new Promise<void>((resolve) => harness.server.listen(0, '127.0.0.1', resolve));
    return harness;
  }

  /** Throws when a record that was written has impossible times. */
  async stop(): Promise<void> {
    this.plane.close();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    this.journal.close();
    rmSync(this.folder, { recursive: true, force: true });
    if (this.timeFaults.length > 0) throw new Error(this.timeFaults.join('\n'));
  }

  /** Every record of every suite must have possible times; `stop` throws otherwise. */
  private checkTimes(): void {
    const { journal } = this;
    journal.append = (meta, ...rest) => {
      const shipped = JSON.parse(meta.toString()) as LogRecord;
      if (shipped.amends !== true) {
        const record = completeLogRecord(shipped);
        keepLog(record);
        for (const fault of timeFaultsOf(record)) this.timeFaults.push(`${record.url}: ${fault}`);
      }
      return Journal.prototype.append.call(journal, meta, ...rest);
    };
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Authorization of our own processes. */
  readonly serviceAuth = { authorization: `Bearer ${SERVICE_TOKEN}` };

  /** `http://127.0.0.1:<port>/v1` */
  get baseUrl(): string {
    return `http://127.0.0.1:${String(this.port)}/v1`;
  }

  /** Removes the next records from the journal, as shipping does, and returns their number. */
  async takeRecords(): Promise<number> {
    const batch = await this.journal.read(10_000, 256 * 1_048_576);
    if (!batch) return 0;
    this.journal.acknowledge(batch.end);
    return decodeFrames(batch.bytes).frames.length;
  }

  /**
   * Returns the records in the journal, oldest first, up to the end of its first segment (some
   * hundreds).
   */
  async records(): Promise<LoggedRequest[]> {
    const batch = await this.journal.read(10_000, 256 * 1_048_576);
    if (!batch) return [];
    return decodeFrames(batch.bytes).frames.map(logged);
  }

  addTenant(workspaceId: string, slug: string, over: Partial<WorkspaceDocument> = {}): void {
    this.setOrganisation();
    this.documents.set(documentKey.workspace(workspaceId), {
      kind: 'workspace',
      version: this.nextVersion(),
      id: workspaceId,
      slug,
      name: slug,
      organisationId: ORGANISATION_ID,
      status: 'active',
      blockInlineConfig: false,
      logBodies: true,
      rateLimits: [],
      usageLimits: [],
      defaults: { metadata: {}, config: null },
      ...over,
    });
  }

  setOrganisation(over: Partial<OrganisationDocument> = {}): void {
    this.documents.set(documentKey.organisation(ORGANISATION_ID), {
      kind: 'organisation',
      version: this.nextVersion(),
      id: ORGANISATION_ID,
      name: 'Acme',
      status: 'active',
      blockInlineConfig: false,
      logBodies: true,
      ...over,
    });
  }

  addKey(apiKey: string, over: Partial<ApiKeyDocument> = {}): void {
    this.documents.set(this.keyOf(apiKey), {
      kind: 'api_key',
      version: this.nextVersion(),
      id: `key-${apiKey.slice(0, 8)}`,
      name: apiKey.slice(0, 8),
      type: 'workspace-service',
      organisationId: ORGANISATION_ID,
      workspaceId: WORKSPACE_ID,
      userId: null,
      scopes: ['completions.write'],
      status: 'active',
      expiresAt: null,
      rateLimits: [],
      usageLimits: [],
      defaults: { metadata: {}, config: null, allowConfigOverride: true },
      ...over,
    });
  }

  removeKey(apiKey: string): void {
    this.documents.remove(this.keyOf(apiKey));
  }

  /** Removes the key as the control plane does, which still knows its owner. */
  endKey(apiKey: string, id: string): void {
    this.removeKey(apiKey);
    const key = documentKey.endedApiKey(this.hashOf(apiKey));
    const document = { version: this.nextVersion(), id, organisationId: ORGANISATION_ID };
    this.documents.set(key, { kind: 'ended_api_key', ...document });
  }

  addProvider(
    slug: string,
    providerId: string,
    origin: string | null,
    over: Partial<ProviderDocument> = {},
  ): void {
    const workspaceId = over.workspaceId ?? WORKSPACE_ID;
    const id = `provider-${slug}-${workspaceId}`;
    this.documents.set(documentKey.provider(workspaceId, slug), {
      kind: 'provider',
      version: this.nextVersion(),
      id,
      slug,
      name: slug,
      organisationId: ORGANISATION_ID,
      workspaceId,
      integrationId: `integration-${slug}`,
      status: 'active',
      expiresAt: null,
      providerId,
      sealedCredential: this.sealed(slug, `sk-${slug}`, workspaceId),
      configurations: origin === null ? {} : { custom_host: `${origin}/v1` },
      allowAllModels: true,
      models: [],
      rateLimits: [],
      usageLimits: [],
      ...over,
    });
  }

  /** Returns the credential of a provider of `addProvider`, as its document stores it. */
  sealed(slug: string, apiKey: string, workspaceId = WORKSPACE_ID): string {
    return seal(
      sealingKeyring(this.master),
      JSON.stringify({ apiKey, configurations: {} }),
      credentialBinding(workspaceId, `provider-${slug}-${workspaceId}`),
    );
  }

  addConfig(slug: string, config: unknown, over: Partial<ConfigDocument> = {}): void {
    const workspaceId = over.workspaceId ?? WORKSPACE_ID;
    const document: ConfigDocument = {
      kind: 'config',
      version: this.nextVersion(),
      id: `config-${slug}`,
      slug,
      versionId: `version-${this.nextVersion()}`,
      organisationId: ORGANISATION_ID,
      workspaceId,
      status: 'active',
      config,
      ...over,
    };
    for (const name of [slug, document.id])
      this.documents.set(documentKey.config(workspaceId, name), document);
  }

  /** Adds a guardrail that the named workspaces can use by its slug and its id. */
  addGuardrail(
    slug: string,
    checks: GuardrailDocument['checks'],
    actions: GuardrailDocument['actions'] = {},
    over: Partial<GuardrailDocument> = {},
  ): void {
    const document: GuardrailDocument = {
      kind: 'guardrail',
      version: this.nextVersion(),
      id: `guardrail-${slug}`,
      slug,
      versionId: `version-${this.nextVersion()}`,
      name: slug,
      organisationId: ORGANISATION_ID,
      workspaceId: WORKSPACE_ID,
      status: 'active',
      target: 'llm',
      checks,
      actions,
      sealedSecrets: null,
      ...over,
    };
    const { workspaceId } = document;
    for (const name of [slug, document.id])
      this.documents.set(documentKey.guardrail(workspaceId ?? WORKSPACE_ID, name), document);
  }

  /** Adds a prompt or a partial with the given versions; the last one is published. */
  addPrompt(
    slug: string,
    versions: readonly Partial<PromptVersionDocument>[],
    over: Partial<PromptDocument> = {},
  ): void {
    const id = `prompt-${slug}`;
    const ids = versions.map((content, at) => {
      const versionId = `${id}-${String(at + 1)}`;
      this.documents.set(documentKey.promptVersion(ORGANISATION_ID, versionId), {
        kind: 'prompt_version',
        version: this.nextVersion(),
        id: versionId,
        promptId: id,
        organisationId: ORGANISATION_ID,
        number: at + 1,
        template: '',
        isRaw: false,
        parameters: {},
        model: null,
        virtualKey: null,
        functions: null,
        tools: null,
        toolChoice: null,
        ...content,
      });
      return versionId;
    });
    const document: PromptDocument = {
      kind: 'prompt',
      version: this.nextVersion(),
      id,
      slug,
      type: 'prompt',
      organisationId: ORGANISATION_ID,
      workspaceId: WORKSPACE_ID,
      sharedWith: [],
      versions: ids,
      publishedVersionId: ids.at(-1) ?? '',
      labels: {},
      ...over,
    };
    for (const name of [slug, id]) this.documents.set(documentKey.prompt(ORGANISATION_ID, name), document);
  }

  private keyOf(apiKey: string): DocumentKey {
    return documentKey.apiKey(this.hashOf(apiKey));
  }

  private hashOf(apiKey: string): string {
    return hashApiKey(apiKeyPepper(this.master), apiKey);
  }

  private nextVersion(): string {
    this.version += 1;
    return String(this.version);
  }
}

const logged = ({ meta, request, response }: Frame): LoggedRequest => ({
  ...completeLogRecord(JSON.parse(meta.toString('utf8')) as LogRecord),
  requestBody: request,
  responseBody: response,
});
