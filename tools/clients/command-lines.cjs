// Third-party command lines, with the files that their documentation requires. Each runs one turn
// with its own shell tool.

const MODEL = 'sandbox-small';
/** Text that the shell tool prints and the sandbox provider then quotes. */
const PRINTED = '18 degrees in Paris';

/**
 * @typedef {object} CommandLine
 * @property {string} name Package on npm.
 * @property {string} command Name in `node_modules/.bin`.
 * @property {readonly string[]} args
 * @property {Readonly<Record<string, string>>} files Below the home folder.
 * @property {Readonly<Record<string, string>>} environment
 * @property {(output: string) => boolean} [passes] Absent: it quotes what its shell printed.
 */

/** @typedef {{ url: string, key: string }} Gateway `url` ends in `/v1`. */

/** @type {(gateway: Gateway) => CommandLine} */
const codex = ({ url, key }) => ({
  name: '@openai/codex',
  command: 'codex',
  args: [
    ...['exec', '--skip-git-repo-check', '--sandbox', 'danger-full-access'],
    `exec_command {"cmd":"echo ${PRINTED}"}`,
  ],
  files: {
    '.codex/config.toml': [
      `model = "${MODEL}"`,
      'model_provider = "tollgate"',
      'web_search = "disabled"',
      '[model_providers.tollgate]',
      'name = "Tollgate"',
      `base_url = "${url}"`,
      'env_key = "TOLLGATE_KEY"',
      'wire_api = "responses"',
      'http_headers = { "x-gw-provider" = "@sandbox" }',
    ].join('\n'),
  },
  environment: { TOLLGATE_KEY: key },
});

/** @type {(gateway: Gateway) => CommandLine} */
const geminiCli = ({ url, key }) => ({
  name: '@google/gemini-cli',
  command: 'gemini',
  args: ['-m', `@sandbox/${MODEL}`, '--yolo', '-p', `run_shell_command {"command":"echo ${PRINTED}"}`],
  files: {
    '.gemini/settings.json': JSON.stringify({
      security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
    }),
  },
  environment: { GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url.replace(/\/v1$/, '') },
});

/** @type {(gateway: Gateway) => CommandLine} */
const claudeCode = ({ url, key }) => ({
  name: '@anthropic-ai/claude-code',
  command: 'claude',
  args: ['-p', `Bash {"command":"echo ${PRINTED}","description":"Prints"}`, '--allowedTools', 'Bash'],
  files: {},
  environment: {
    ANTHROPIC_BASE_URL: url.replace(/\/v1$/, ''),
    ANTHROPIC_AUTH_TOKEN: key,
    ANTHROPIC_CUSTOM_HEADERS: 'x-gw-provider: @sandbox',
    ANTHROPIC_MODEL: MODEL,
    ANTHROPIC_SMALL_FAST_MODEL: MODEL,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  },
});

/** @type {(gateway: Gateway) => CommandLine} */
const opencode = ({ url, key }) => ({
  name: 'opencode-ai',
  command: 'opencode',
  // Separate words, because opencode quotes an argument with spaces.
  args: ['run', ...`bash {"command":"echo ${PRINTED}","description":"Prints"}`.split(' ')],
  files: {
    '.config/opencode/opencode.json': JSON.stringify({
      autoupdate: false,
      share: 'disabled',
      permission: 'allow',
      model: `tollgate/${MODEL}`,
      small_model: `tollgate/${MODEL}`,
      provider: {
        tollgate: {
          npm: '@ai-sdk/openai-compatible',
          name: 'Tollgate',
          options: { baseURL: url, apiKey: key, headers: { 'x-gw-provider': '@sandbox' } },
          models: { [MODEL]: { name: 'Sandbox', tool_call: true } },
        },
      },
    }),
  },
  environment: {},
});

/**
 * Runs the MCP Inspector on the command line.
 * @param {string} path
 * @param {readonly string[]} args
 * @param {RegExp} printed
 * @returns {(gateway: Gateway) => CommandLine}
 */
const inspector =
  (path, args, printed) =>
  ({ url, key }) => ({
    name: '@modelcontextprotocol/inspector',
    command: 'mcp-inspector',
    args: [
      ...['--cli', url.replace(/\/v1$/, path), '--transport', 'http', '--header', `x-gw-api-key: ${key}`],
      ...args,
    ],
    files: {},
    environment: {},
    passes: (output) => printed.test(output),
  });

const INSPECTORS = [
  inspector(
    '/sandbox/mcp',
    ['--method', 'tools/call', '--tool-name', 'add', '--tool-arg', 'a=2', 'b=3'],
    /"sum": 5/,
  ),
  inspector(
    '/mcp/admin',
    ['--protocol-era', 'modern', '--method', 'tools/list', '--strict'],
    /"get_my_limits"/,
  ),
];

/** @type {(gateway: Gateway) => readonly CommandLine[]} */
const commandLines = (gateway) =>
  [codex, geminiCli, claudeCode, opencode, ...INSPECTORS].map((client) => client(gateway));

/** @param {string} output */
const quotesResult = (output) => new RegExp(`\\[sandbox\\] .*${PRINTED}`, 's').test(output);

module.exports = { commandLines, quotesResult };
