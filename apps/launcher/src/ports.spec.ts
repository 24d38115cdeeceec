import { createServer, type AddressInfo, type Server } from 'node:net';

import { freePort } from '@gw/testing';

import { choosePorts, type Ports } from './ports';
import { readLauncherSettings } from './settings';

describe('choosePorts', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  const listen = async (at = 0): Promise<number> => {
    const server = createServer();
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  };
  const choose = async (settings: Record<string, number | string>): Promise<Ports> => {
    const given = { GATEWAY_PORT: await freePort(), ADMIN_PORT: await freePort(), ...settings };
    const texts = Object.entries(given).map(([name, value]) => [name, String(value)]);
    return choosePorts(readLauncherSettings(Object.fromEntries(texts) as Record<string, string>));
  };

  it('picks a free port for the worker unless it is set, so that several installations can run on one machine', async () => {
    const one = await choose({});
    await listen(one.worker);
    const two = await choose({});
    expect(new Set([one, two].flatMap(({ gateway, admin, worker }) => [gateway, admin, worker])).size).toBe(
      6,
    );
    const WORKER_PORT = await freePort();
    expect((await choose({ WORKER_PORT })).worker).toBe(WORKER_PORT);
  });

  it.each(['GATEWAY_PORT', 'ADMIN_PORT', 'WORKER_PORT'])(
    'reports %s and the solution when its port is in use',
    async (name) => {
      const port = await listen();
      await expect(choose({ [name]: port })).rejects.toThrow(
        `${name} ${String(port)} is in use on 127.0.0.1: stop what listens there, or set ${name} to another port.`,
      );
    },
  );

  it('reports both settings that have the same port', async () => {
    const port = await freePort();
    await expect(choose({ GATEWAY_PORT: port, WORKER_PORT: port })).rejects.toThrow(
      `WORKER_PORT ${String(port)} and GATEWAY_PORT ${String(port)} are the same`,
    );
  });

  it('reports METRICS_PORT and the process when one of the metrics ports is in use', async () => {
    // A free port is the first of ten that no other process takes.
    const ADMIN_PORT = (await freePort()) + 5;
    await expect(choose({ ADMIN_PORT, METRICS_PORT: ADMIN_PORT - 2, GATEWAY_WORKERS: 2 })).rejects.toThrow(
      `port ${String(ADMIN_PORT)} for the metrics of the admin API (METRICS_PORT + 2) and ADMIN_PORT ${String(ADMIN_PORT)} are the same: set METRICS_PORT to the first of 4 free ports.`,
    );
    const taken = await listen();
    await expect(choose({ METRICS_PORT: taken })).rejects.toThrow(
      /for the metrics of gateway process 0 \(METRICS_PORT \+ 0\) is in use/,
    );
  });

  it('reserves the ports of all apps, which Postgres must not use', async () => {
    const [GATEWAY_PORT, ADMIN_PORT] = [await freePort(), await freePort()];
    const METRICS_PORT = await freePort();
    const { worker, reserved } = await choose({ GATEWAY_PORT, ADMIN_PORT, METRICS_PORT, GATEWAY_WORKERS: 1 });
    expect(reserved).toEqual(
      expect.arrayContaining([
        GATEWAY_PORT,
        ADMIN_PORT,
        worker,
        METRICS_PORT,
        METRICS_PORT + 1,
        METRICS_PORT + 2,
      ]),
    );
  });

  it.each(['192.0.2.1', 'host.invalid'])('reports the solution when HOST is %s', async (HOST) => {
    await expect(choose({ HOST })).rejects.toThrow(
      `HOST ${HOST} is not an address of this machine: set HOST to one, such as 127.0.0.1, or to 0.0.0.0 for all.`,
    );
  });

  it('reports METRICS_PORT when the metrics ports exceed 65535', async () => {
    await expect(choose({ METRICS_PORT: 65_535 })).rejects.toThrow('(METRICS_PORT + 1) cannot be used');
  });
});
