import { dirname, join } from 'node:path';
import ts from 'typescript';

const COHERE = join(dirname(require.resolve('cohere-ai')), 'serialization/resources/v2/client/requests');

/** The type of a request's body in the vendor's SDK, where one is installed. */
export const SDK_TYPES: Readonly<Record<string, string>> = {
  'openai-chat': `import('openai/resources/chat/completions').ChatCompletionCreateParams`,
  'openai-responses': `import('openai/resources/responses/responses').ResponseCreateParams`,
  'anthropic-messages': `import('@anthropic-ai/sdk/resources/messages').MessageCreateParams`,
  gemini: `{
    contents: Google.Content[];
    systemInstruction?: Google.Content;
    tools?: Google.Tool[];
    toolConfig?: Google.ToolConfig;
    generationConfig?: Google.GenerationConfig;
  }`,
  'cohere-v2': `import('${COHERE}/V2ChatRequest').V2ChatRequest.Raw & { stream?: boolean }`,
};

/** A body as JSON has it: the names of an enumeration instead of its members. */
const HEAD = `
import type * as Google from '@google/genai';
type Wire<T> = T extends string ? \`\${T}\` : T extends object ? { [K in keyof T]: Wire<T[K]> } : T;
`;
const FILE = join(__dirname, 'bodies-of-the-run.ts');

/**
 * Compares bodies with the types of `SDK_TYPES` by TypeScript. Returns their unknown and missing
 * members.
 */
export function faultsOfTypes(bodies: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  const lines = Object.entries(SDK_TYPES).flatMap(([dialect, type], at) => [
    `type Body${String(at)} = Wire<${type}>;`,
    ...[...(bodies.get(dialect) ?? [])].map(
      (text) => `({ body: ${text} }) satisfies { body: Body${String(at)} };`,
    ),
  ]);
  const source = `${HEAD}${lines.join('\n')}`;
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    module: ts.ModuleKind.Node20,
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2023.d.ts'],
    types: ['node'],
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (path) => path === FILE || fileExists(path);
  host.getSourceFile = (path, language, ...rest) =>
    path === FILE ? ts.createSourceFile(path, source, language) : getSourceFile(path, language, ...rest);
  return ts.getPreEmitDiagnostics(ts.createProgram([FILE], options, host)).map(({ messageText, start }) => {
    const from = source.lastIndexOf('\n', start ?? 0) + 1;
    return `${ts.flattenDiagnosticMessageText(messageText, '\n')}\n${source.slice(from, source.indexOf('\n', start))}`;
  });
}
