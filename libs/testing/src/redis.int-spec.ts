import processes from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import os from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually';
import { startRedis } from './redis';

/** Sends an inline command to a Redis and returns the first part of its response. */
function command(url: string, line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(`${line}\r\n`));
    socket.once('error', reject);
    socket.once('close', () => resolve(''));
    socket.once('data', (chunk) => {
      resolve(chunk.toString());
      socket.destroy();
    });
  });
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('startRedis', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(os.tmpdir(), 'tollgate-redis-spec-'));
    jest.spyOn(os, 'tmpdir').mockReturnValue(folder);
  });
  afterEach(() => {
    jest.restoreAllMocks();
    rmSync(folder, { recursive: true, force: true });
  });

  it('can be killed and restarted after the server has ended by itself', async () => {
    const redis = await startRedis();
    const [, pid = ''] = /process_id:(\d+)/.exec(await command(redis.url, 'INFO server')) ?? [];
    await command(redis.url, 'SHUTDOWN NOSAVE');
    await eventually(() => !isRunning(Number(pid)));
    await redis.kill();
    await redis.start();
    expect(await command(redis.url, 'PING')).toBe('+PONG\r\n');
    await redis.stop();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('removes its folder when the server cannot be started', async () => {
    const { spawn } = processes;
    jest.spyOn(processes, 'spawn').mockImplementation(() => spawn(join(folder, 'redis-server')));
    await expect(startRedis()).rejects.toThrow('redis-server could not be run');
    expect(readdirSync(folder)).toEqual([]);
  });
});
