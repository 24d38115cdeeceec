import { existsSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import ts from 'typescript';

const SOURCE = resolve(__dirname, '..');

/** For each field of `RequestContext` and of its slots: the folders that write it. */
const WRITERS: Readonly<Record<string, readonly string[]>> = {
  // Slots: one folder each.
  attempts: ['attempt'],
  reply: ['reply'],
  usage: ['usage'],
  prompt: ['prompts'],
  guardrails: ['guardrails'],
  limits: ['limits'],
  idempotency: ['idempotency'],
  cache: ['cache'],
  hedge: ['hedge'],
  mcp: ['mcp'],
  agent: ['agents'],
  session: ['realtime'],
  // Written by the list of in-flight requests.
  before: ['in-flight'],
  after: ['in-flight'],
  notedBytes: ['in-flight'],
  checks: ['in-flight'],
  // Written by the core and the first stages.
  queryKey: ['http'],
  gw: ['accept', 'prompts'],
  metadata: ['accept', 'configs'],
  traceId: ['accept'],
  spanId: ['accept'],
  parentSpanId: ['accept'],
  spanName: ['accept', 'mcp', 'agents'],
  principal: ['auth'],
  refusedKey: ['auth'],
  body: ['bodies'],
  memory: ['bodies'],
  heldBytes: [],
  spooled: ['bodies'],
  release: ['bodies'],
  scan: ['bodies', 'realtime'],
  parsed: [],
  config: ['configs'],
  configSource: ['configs'],
  configId: ['configs'],
  route: ['prompts', 'mcp', 'agents'],
  madeFor: [],
  response: ['attempt'],
  settled: [],
  stageMs: [],
  isPart: [],
  clientGone: [],
  containment: [],
  leaveListener: [],
};

/** Array methods that modify the array. */
const CHANGING: ReadonlySet<string> = new Set([
  'push',
  'pop',
  'shift',
  'unshift',
  'splice',
  'sort',
  'reverse',
]);

/** Includes only the gateway's own files, because only their declarations matter. */
function programOf(files: readonly string[]): ts.Program {
  const options: ts.CompilerOptions = {
    types: [],
    strict: true,
    target: ts.ScriptTarget.ES2023,
    noEmit: true,
  };
  const host = ts.createCompilerHost(options);
  host.resolveModuleNameLiterals = (names, from) =>
    names.map(({ text }) => {
      const base = resolve(dirname(from), text);
      const file = text.startsWith('.') ? [`${base}.ts`, `${base}/index.ts`].find(existsSync) : undefined;
      return {
        resolvedModule: file === undefined ? undefined : { resolvedFileName: file, extension: '.ts' },
      };
    });
  return ts.createProgram(files, options, host);
}

/** The expression that a node assigns to or modifies in place. */
function targetOf(node: ts.Node): ts.Expression | null {
  if (ts.isBinaryExpression(node)) {
    const { kind } = node.operatorToken;
    const assigns = kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
    return assigns ? node.left : null;
  }
  if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) {
    const { operator } = node;
    return operator === ts.SyntaxKind.PlusPlusToken || operator === ts.SyntaxKind.MinusMinusToken
      ? node.operand
      : null;
  }
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return null;
  return CHANGING.has(node.expression.name.text) ? node.expression.expression : null;
}

/** The access `x.y` in `x.y`, `x.y[0]`, `(x.y ??= [])` and `x.y as T`. */
function propertyIn(target: ts.Expression): ts.PropertyAccessExpression | null {
  if (ts.isPropertyAccessExpression(target)) return target;
  if (ts.isElementAccessExpression(target) || ts.isParenthesizedExpression(target))
    return propertyIn(target.expression);
  if (ts.isAsExpression(target) || ts.isNonNullExpression(target)) return propertyIn(target.expression);
  return ts.isBinaryExpression(target) ? propertyIn(target.left) : null;
}

const classIn = (program: ts.Program, file: string): ts.ClassDeclaration => {
  const found = program.getSourceFile(resolve(SOURCE, file))?.statements.find(ts.isClassDeclaration);
  if (found === undefined) throw new Error(`${file} has no class`);
  return found;
};

/** The mutable fields of a class, and its slots: readonly fields that hold a class instance. */
function fieldsOf(declaration: ts.ClassDeclaration): string[] {
  const parameters = declaration.members
    .filter(ts.isConstructorDeclaration)
    .flatMap(({ parameters: all }) => [...all]);
  const isMutable = ({ modifiers }: ts.ParameterDeclaration): boolean =>
    modifiers?.some(({ kind }) => kind === ts.SyntaxKind.PublicKeyword) === true &&
    !modifiers.some(({ kind }) => kind === ts.SyntaxKind.ReadonlyKeyword);
  return [
    ...declaration.members.filter(ts.isPropertyDeclaration).map(({ name }) => name.getText()),
    ...parameters.filter(isMutable).map(({ name }) => name.getText()),
  ];
}

describe('fields of RequestContext', () => {
  const files = ts.sys.readDirectory(SOURCE, ['.ts']).filter((file) => !/spec[.-]|\.spec\./.test(file));
  const program = programOf(files);
  const checker = program.getTypeChecker();
  const context = classIn(program, 'core/request-context.ts');
  /** For each slot's class, the context field that holds it. */
  const slots = new Map<ts.Node, string>();
  for (const member of context.members.filter(ts.isPropertyDeclaration)) {
    const type = checker.getNonNullableType(checker.getTypeAtLocation(member));
    const declaration = type.symbol?.declarations?.[0];
    if (
      declaration &&
      ts.isClassDeclaration(declaration) &&
      /^Request(?!Context)/.test(declaration.name?.text ?? '')
    )
      slots.set(declaration, member.name.getText());
  }

  /** The context field that an assignment writes; null when it writes something else. */
  function fieldWritten(node: ts.Node): string | null {
    const target = targetOf(node);
    const property = target === null ? null : propertyIn(target);
    if (property === null) return null;
    const owner = checker.getSymbolAtLocation(property.name)?.declarations?.[0]?.parent;
    if (owner === context || owner?.parent === context) return property.name.text;
    return owner === undefined ? null : (slots.get(owner) ?? null);
  }

  const writes: { readonly field: string; readonly folder: string; readonly place: string }[] = [];
  for (const file of files) {
    const source = program.getSourceFile(file) as ts.SourceFile;
    const path = relative(SOURCE, file);
    const visit = (node: ts.Node): void => {
      const field = fieldWritten(node);
      if (field !== null) {
        const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
        writes.push({
          field,
          folder: path.split('/')[0] as string,
          place: `${path}:${String(line)} writes ${field}`,
        });
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }

  it('lists every field with the folders that write it', () => {
    expect(
      fieldsOf(context).filter((field) => !Object.hasOwn(WRITERS, field) && !/^started/.test(field)),
    ).toEqual([]);
    expect([...slots.values()]).toEqual(
      expect.arrayContaining([
        'attempts',
        'cache',
        'hedge',
        'idempotency',
        'limits',
        'prompt',
        'reply',
        'usage',
      ]),
    );
  });

  it('finds no write from a folder that is not listed', () => {
    expect(writes.length).toBeGreaterThan(80);
    const foreign = writes.filter(
      ({ field, folder }) => folder !== 'core' && !WRITERS[field]?.includes(folder),
    );
    expect(foreign.map(({ place }) => place)).toEqual([]);
  });

  it('finds no write by the core to a slot of a feature', () => {
    const fromCore = writes.filter(
      ({ field, folder }) => folder === 'core' && [...slots.values()].includes(field),
    );
    expect(fromCore.map(({ place }) => place)).toEqual([]);
  });
});
