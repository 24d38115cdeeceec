import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { loadAll } from 'js-yaml';
import { endProcess } from './end-process';
import { eventually } from './eventually';
import { freePort } from './free-port';

const ROOT = resolve(__dirname, '..', '..', '..');

interface RedisManifest {
  readonly spec?: { readonly template?: { readonly spec: { containers: { args: string[] }[] } } };
}

describe('k8s/redis.yaml', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-redis-manifest-'));
  const password = 'a-password';
  let server: ChildProcess;
  let port: number;

  beforeAll(async () => {
    const tls = join(folder, 'tls');
    execFileSync('sh', [join(ROOT, 'docker', 'make-tls.sh'), tls]);
    const manifests = loadAll(readFileSync(join(ROOT, 'k8s', 'redis.yaml'), 'utf8')) as RedisManifest[];
    const [command, ...args] = manifests[0]?.spec?.template?.spec.containers[0]?.args ?? [];
    port = await freePort();
    const here = args
      .map((arg) => arg.replace('/etc/redis-tls', tls).replace('$(REDIS_PASSWORD)', password))
      .map((arg, index) => (args[index - 1] === '--tls-port' ? String(port) : arg));
    server = spawn(command ?? '', [...here, '--dir', folder], { stdio: 'ignore' });
  });
  afterAll(async () => {
    await endProcess(server, 'SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  });

  const ping = (auth: string, ...flags: string[]): string =>
    execFileSync('redis-cli', ['-p', String(port), ...flags, 'ping'], {
      env: { ...process.env, REDISCLI_AUTH: auth },
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 60_000,
    }).toString();

  it('serves only TLS, with the certificate of docker/make-tls.sh, and requires the password', async () => {
    const flags = ['--tls', '--cacert', join(folder, 'tls', 'ca.crt')];
    await eventually(() => {
      try {
        return ping(password, ...flags) === 'PONG\n';
      } catch {
        return false;
      }
    });
    expect(ping('', ...flags)).toContain('NOAUTH');
    expect(() => ping(password)).toThrow();
  });
});
