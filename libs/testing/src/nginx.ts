import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endProcess } from './end-process';
import { eventually } from './eventually';
import { freePort } from './free-port';

export interface TestNginx {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  /** The last errors that nginx has logged, such as those of its connections to servers. */
  errors(): string;
  stop(): Promise<void>;
}

/**
 * Starts an nginx that balances requests over servers on these ports with keep-alive and otherwise
 * default settings.
 */
export async function startNginx(ports: readonly number[]): Promise<TestNginx> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-nginx-'));
  writeFileSync(join(folder, 'nginx.conf'), configuration(folder, port, ports));
  const server = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  server.stderr.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-20_000)));
  let failure: Error | null = null;
  server.once('error', (error) => (failure = error));
  const kill = (): void => void server.kill('SIGTERM');
  process.once('exit', kill);
  const stop = async (): Promise<void> => {
    process.off('exit', kill);
    await endProcess(server, 'SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  };
  await eventually(() => isTaken(port)).catch(async () => {
    await stop();
    throw new Error(`nginx did not start (Debian: apt-get install nginx): ${String(failure)} ${output}`);
  });
  return { origin: `http://127.0.0.1:${String(port)}`, errors: () => output, stop };
}

/**
 * Skips a server that refused a connection for one second instead of ten: tests restart servers in
 * quick succession, and nginx returns 502 if it considers all of them failed.
 */
const configuration = (folder: string, port: number, ports: readonly number[]): string => `
daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${folder}/pid;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  upstream gateways {
${ports.map((each) => `    server 127.0.0.1:${String(each)} fail_timeout=1s;`).join('\n')}
    keepalive 64;
  }
  server {
    listen 127.0.0.1:${String(port)};
    location / {
      proxy_pass http://gateways;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
    }
  }
}
`;

function isTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}
