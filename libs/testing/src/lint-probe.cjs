// Lints source texts with the real configuration: reads `[{ file, source }]` as JSON from stdin and
// prints, for each, the ids of the rules that it breaks. It is a separate process, because the
// configuration is an ES module, which Jest does not load.
const { ESLint } = require('eslint');

async function main() {
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  const eslint = new ESLint();
  const results = [];
  for (const { file, source } of JSON.parse(Buffer.concat(chunks))) {
    const [result] = await eslint.lintText(source, { filePath: file });
    results.push(result.messages.map(({ ruleId, message }) => ruleId ?? message));
  }
  console.log(JSON.stringify(results));
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
