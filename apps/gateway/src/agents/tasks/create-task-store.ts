import { connectRedis } from '@gw/redis';
import type { Log } from '@gw/web';
import { LocalTaskStore } from './local-task-store';
import { SharedTaskStore } from './shared-task-store';
import type { TaskStore } from './task-store';

/**
 * Creates the store of tasks. With Redis, all gateways that share it know the tasks, and each
 * process also keeps its own for times when Redis is unreachable; without Redis, each process knows
 * only its own.
 */
export function createTaskStore(redisUrl: string | null, log: Log): TaskStore {
  const local = new LocalTaskStore();
  if (redisUrl === null) return local;
  return new SharedTaskStore(connectRedis({ url: redisUrl, name: 'gateway-agent-tasks', log }), local);
}
