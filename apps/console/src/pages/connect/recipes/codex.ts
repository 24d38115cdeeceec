import { headersOf, KEY_VARIABLE, keyLine, type Recipe } from './recipe';

export const codex: Recipe = {
  id: 'codex',
  label: 'Codex CLI',
  language: 'toml',
  needs: ['responses'],
  file: 'config.toml',
  render: (values) => {
    const headers = Object.entries(headersOf(values)).map(
      ([name, value]) => `${JSON.stringify(name)} = ${JSON.stringify(value)}`,
    );
    return `# ~/.codex/config.toml; the key is read from ${KEY_VARIABLE}.${keyLine('#', KEY_VARIABLE, values)}
model = ${JSON.stringify(values.model)}
model_provider = "tollgate"

[model_providers.tollgate]
name = "Tollgate"
base_url = "${values.base}/v1"
env_key = "${KEY_VARIABLE}"
wire_api = "responses"${headers.length === 0 ? '' : `\nhttp_headers = { ${headers.join(', ')} }`}`;
  },
};
