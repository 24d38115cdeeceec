import { parseArgs } from 'node:util';
import { ApiClient, ApiError } from './api-client';
import {
  applyCommand,
  createKeyCommand,
  diffCommand,
  exportCommand,
  planCommand,
  tailLogsCommand,
  type Call,
  type Output,
} from './commands';

const USAGE = `tollgate: manages the control plane as a file.

  tollgate export [-o FILE]                 Write the state as YAML.
  tollgate diff -f FILE [--prune]           Say what apply would change; 1 when there is something.
  tollgate plan -f FILE [--prune [--force]] [--secrets]
                                            The same, after the control plane has checked every write and deletion; 2
                                            when one is refused. ? marks what it cannot check before the writes that
                                            come first. Writes nothing.
  tollgate apply -f FILE [--dry-run] [--prune [--force]] [--secrets]
                                            Make the control plane as the file says, if all of it is valid;
                                            with --dry-run as plan. -f - is standard input.
                                            Several -f are one file: their lists are joined.
  tollgate keys create --name NAME --scopes A,B [--workspace SLUG] [--expires DATE]
                                            Make a key of a service, and print it.
  tollgate logs tail [--workspace SLUG] [--once]
                                            Print requests as they are logged, as JSON lines.

  --prune    Delete what the file's lists leave out, the workspaces of its users included. What is in use is refused,
             with its users.
  --force    With --prune: delete it all the same, where the control plane lets it; shared prompts are unshared first.
  --secrets  Write the secrets of what is there already, too.
  --url URL  The control plane; TOLLGATE_URL or http://127.0.0.1:8788 when absent.

The key of an administrator is read from TOLLGATE_API_KEY. Secrets are no part of a file: { env: NAME } represents the
environment variable that holds one.
`;

const COMMANDS: Readonly<Record<string, (call: Call) => Promise<number>>> = {
  export: exportCommand,
  diff: diffCommand,
  plan: planCommand,
  apply: applyCommand,
  'keys create': createKeyCommand,
  'logs tail': tailLogsCommand,
};

const OPTIONS = {
  file: { type: 'string', short: 'f', multiple: true },
  output: { type: 'string', short: 'o' },
  'dry-run': { type: 'boolean' },
  prune: { type: 'boolean' },
  force: { type: 'boolean' },
  secrets: { type: 'boolean' },
  url: { type: 'string' },
  name: { type: 'string' },
  scopes: { type: 'string' },
  workspace: { type: 'string' },
  expires: { type: 'string' },
  once: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Runs the command line. Exit codes: 0 success, 1 differences found, 2 invalid call, 3 failure. */
export async function runCli(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  output: Output,
  signal: AbortSignal,
): Promise<number> {
  let parsed;
  try {
    parsed = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true, strict: true });
  } catch (error) {
    output.err(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
    return 2;
  }
  const { values, positionals } = parsed;
  const command = COMMANDS[positionals.join(' ')];
  if (values.help === true || !command) {
    if (values.help === true) output.out(USAGE);
    else output.err(USAGE);
    return values.help === true ? 0 : 2;
  }
  const apiKey = environment['TOLLGATE_API_KEY'] ?? '';
  const fault = faultOf(values, apiKey);
  if (fault !== null) {
    output.err(`${fault}\n`);
    return 2;
  }
  const url = values.url ?? environment['TOLLGATE_URL'] ?? 'http://127.0.0.1:8788';
  const api = new ApiClient(url.replace(/\/+$/, ''), apiKey);
  return runCommand(command, { api, output, environment, options: values, signal });
}

function faultOf({ force, prune }: { force?: boolean; prune?: boolean }, apiKey: string): string | null {
  if (force === true && prune !== true) {
    return '--force needs --prune: it applies to what --prune deletes. Use both, or omit --force.';
  }
  return apiKey === '' ? 'TOLLGATE_API_KEY must be set to the API key of an administrator.' : null;
}

async function runCommand(command: (call: Call) => Promise<number>, call: Call): Promise<number> {
  try {
    return await command(call);
  } catch (error) {
    call.output.err(`tollgate: ${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof ApiError ? 3 : 2;
  }
}
