import { parseArgs } from 'node:util';
import { ApiClient, ApiError, type Authorization } from './api-client';
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
import { accessToken, loginCommand, logoutCommand, type LoginCall } from './login/login-commands';

const USAGE = `tollgate: manages the control plane as a file.

  tollgate export [-o FILE [--inline]]      Write the state as YAML. OpenAPI documents become files in a folder
                                            next to FILE, or with --inline texts in it.
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
  tollgate login [--device] [--scopes A,B]  Log in with a browser; with --device by a code that you type elsewhere.
  tollgate logout                           End the login.
  tollgate logs tail [--workspace SLUG] [--once]
                                            Print requests as they are logged, as JSON lines.

  --prune    Delete what the file's lists leave out, the workspaces of its users included. What is in use is refused,
             with its users.
  --force    With --prune: delete it all the same, where the control plane lets it; shared prompts are unshared first.
  --secrets  Write the secrets of what is there already, too.
  --url URL  The control plane; TOLLGATE_URL or http://127.0.0.1:8788 when absent.

The key of an administrator is read from TOLLGATE_API_KEY; without it your login is used. Secrets are no part of a file: { env: NAME } represents the
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

const LOGIN_COMMANDS: Readonly<Record<string, (call: LoginCall) => Promise<number>>> = {
  login: loginCommand,
  logout: logoutCommand,
};

const stepOf = <T>(commands: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(commands, name) ? commands[name] : undefined;

const OPTIONS = {
  file: { type: 'string', short: 'f', multiple: true },
  output: { type: 'string', short: 'o' },
  'dry-run': { type: 'boolean' },
  inline: { type: 'boolean' },
  prune: { type: 'boolean' },
  force: { type: 'boolean' },
  secrets: { type: 'boolean' },
  url: { type: 'string' },
  name: { type: 'string' },
  scopes: { type: 'string' },
  workspace: { type: 'string' },
  expires: { type: 'string' },
  once: { type: 'boolean' },
  device: { type: 'boolean' },
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
  const name = positionals.join(' ');
  const [command, loginStep] = [stepOf(COMMANDS, name), stepOf(LOGIN_COMMANDS, name)];
  if (values.help === true || !(command ?? loginStep)) return usage(output, values.help === true);
  const { TOLLGATE_URL: named = '' } = environment;
  const url = (values.url ?? (named === '' ? 'http://127.0.0.1:8788' : named)).replace(/\/+$/, '');
  if (loginStep) {
    const call = { url, output, environment, options: values, signal };
    return reported(output, () => loginStep(call));
  }
  if (values.force === true && values.prune !== true) {
    output.err('--force needs --prune: it applies to what --prune deletes. Use both, or omit --force.\n');
    return 2;
  }
  return reported(output, async () => {
    const api = new ApiClient(url, await authorizationOf(url, environment));
    const call = { api, output, environment, options: values, signal };
    return command?.(call) ?? 2;
  });
}

/**
 * Prints the usage of the command line and returns the exit code: success if the user requested it,
 * else that of an invalid call.
 */
function usage(output: Output, isAsked: boolean): number {
  if (isAsked) output.out(USAGE);
  else output.err(USAGE);
  return isAsked ? 0 : 2;
}

/**
 * Returns the key from the environment, else the login at the control plane. Throws if there is
 * neither.
 */
async function authorizationOf(url: string, environment: NodeJS.ProcessEnv): Promise<Authorization> {
  const apiKey = environment['TOLLGATE_API_KEY'] ?? '';
  if (apiKey !== '') return apiKey;
  const headers = async (): Promise<Readonly<Record<string, string>>> => {
    const token = await accessToken(url, environment);
    if (token === null)
      throw new Error(
        'TOLLGATE_API_KEY must be set to the API key of an administrator, or log in with tollgate login.',
      );
    return { authorization: `Bearer ${token}` };
  };
  await headers();
  return headers;
}

/**
 * Runs a command and returns its exit code. Reports a failure and returns the code for failures.
 */
async function reported(output: Output, run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    output.err(`tollgate: ${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof ApiError ? 3 : 2;
  }
}
