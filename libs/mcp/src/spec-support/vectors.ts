import { readCases } from '@gw/testing';
import { McpFault } from '../fault';

interface Vector {
  readonly id: string;
  readonly group: string;
  readonly reason: string;
}

interface VectorFile {
  readonly cases: readonly Vector[];
  readonly tools: Readonly<Record<string, { readonly name: string; readonly inputSchema: unknown }>>;
}

const file = readCases('mcp.json') as VectorFile;

/** Tools that the cases refer to by a letter. */
export const { tools } = file;

/**
 * Returns the cases of one group of `mcp.json`, each with its id and its reason, which form the
 * test title. `except` holds the ids of cases that need running processes.
 */
export function vectors<T>(
  group: string,
  except: readonly string[] = [],
): [id: string, reason: string, vector: T][] {
  return (file.cases as readonly (Vector & T)[])
    .filter((each) => each.group === group && !except.includes(each.id))
    .map((each) => [each.id, each.reason, each]);
}

/** Returns the fault that `work` throws; undefined if it succeeds. Other errors fail the test. */
export function faultOf(work: () => unknown): McpFault | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof McpFault) return error;
    throw error;
  }
}
