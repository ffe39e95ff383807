import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../prepare.mjs';

const SOURCE = join(ROOT, 'clients', 'typescript', 'src');

/** The sections of the page, in order, and the files whose exports they show. The rest is under "Other types". */
const SECTIONS = {
  'The client': ['waypost.ts'],
  Resources: [
    'resources/messages.ts',
    'resources/orders.ts',
    'resources/texts.ts',
    'resources/events.ts',
    'follow.ts',
    'resources/recipients.ts',
    'resources/webhookEndpoints.ts',
    'resources/keys.ts',
    'resources/credits.ts',
    'resources/usage.ts',
    'pages.ts',
    'transport.ts',
  ],
  Webhooks: ['webhooks.ts', 'dedupe.ts', 'sign.ts', 'events.ts'],
  Errors: ['errors.ts', 'batch.ts'],
  Testing: ['resources/sandbox.ts'],
  'What is sent and answered': ['generated/api.ts'],
};

/** The reference of the TypeScript client in Markdown: what its index exports, with the comments of the source. */
export function clientReference() {
  const exported = exportedNames();
  const sections = Object.entries(SECTIONS).map(([title, files]) => {
    const parts = files.flatMap((file) => declarationsOf(file).filter(({ name }) => exported.has(name)));
    return [`## ${title}`, ...parts.map(describe)].join('\n\n');
  });
  return `${[
    '# TypeScript client: reference',
    '<!-- Made from the source by `npm run client -- docs`. Do not edit. -->',
    'Everything that `@waypost/client` exports. [The client’s page](../../clients/typescript/README.md) begins with a push.',
    ...sections,
  ].join('\n\n')}\n`;
}

/** `export type *` stands for every type of the file. */
function exportedNames() {
  const names = new Set();
  for (const statement of parse('index.ts').statements) {
    if (!ts.isExportDeclaration(statement)) continue;
    if (statement.exportClause && ts.isNamedExports(statement.exportClause))
      for (const { name } of statement.exportClause.elements) names.add(name.text);
    else
      for (const { name } of declarationsOf(join(dirname('index.ts'), statement.moduleSpecifier.text)))
        if (!['operations', 'Operations'].includes(name)) names.add(name);
  }
  return names;
}

function parse(file) {
  return ts.createSourceFile(file, readFileSync(join(SOURCE, file), 'utf8'), ts.ScriptTarget.Latest, true);
}

function declarationsOf(file) {
  return parse(file).statements.flatMap((node) => {
    if (!node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
    if (ts.isVariableStatement(node))
      return node.declarationList.declarations.map(({ name }) => ({ name: name.getText(), node }));
    return node.name ? [{ name: node.name.text, node }] : [];
  });
}

function describe({ name, node }) {
  return [
    `### ${name}`,
    commentOf(node),
    signature(node),
    ...(ts.isClassDeclaration(node) ? methods(node) : []),
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** The text of a declaration without bodies, private members and the word export. */
function signature(node) {
  if (ts.isClassDeclaration(node)) {
    const fields = node.members.filter((member) => ts.isPropertyDeclaration(member) && isPublic(member));
    const own = fields.filter((field) => field.name.text !== 'name');
    if (own.length === 0) return '';
    const rows = own.map((field) => [field.name.text, field.type?.getText() ?? '', commentOf(field)]);
    return table(['field', 'type', 'meaning'], rows);
  }
  if (ts.isInterfaceDeclaration(node)) {
    const rows = node.members.map((member) => [
      `${member.name.getText()}${member.questionToken ? '?' : ''}`,
      (member.type ?? member).getText().replace(/ \| undefined$/, ''),
      commentOf(member),
    ]);
    return table(['field', 'type', 'meaning'], rows);
  }
  if (ts.isFunctionDeclaration(node)) return code(withoutBody(node));
  if (ts.isVariableStatement(node)) return code(node.getText().split(' = ')[0].replace('export ', ''));
  return code(node.getText().replace('export ', ''));
}

const isPublic = (member) =>
  !ts.isPrivateIdentifier(member.name) && !ts.isComputedPropertyName(member.name) && commentOf(member) !== '';

function methods(node) {
  const lines = node.members
    .filter((member) => ts.isMethodDeclaration(member) && isPublic(member))
    .map((member) => `- \`${tidy(withoutBody(member))}\`: ${commentOf(member)}`);
  return lines.length === 0 ? [] : [lines.join('\n')];
}

/** On one line, without what only an implementation says. */
const tidy = (text) =>
  oneLine(text)
    .replace(/^(async )?\*?/, '')
    .replace('( ', '(')
    .replace(', )', ')');

const withoutBody = (node) =>
  (node.body ? node.getText().slice(0, node.body.getStart() - node.getStart()) : node.getText())
    .replace(/^export /, '')
    .trim();

const commentOf = (node) =>
  ts
    .getJSDocCommentsAndTags(node)
    .map(({ comment }) => (typeof comment === 'string' ? oneLine(comment) : ''))
    .join(' ')
    .trim();

const oneLine = (text) => text.replace(/\s+/g, ' ').trim();
const code = (text) => `\`\`\`ts\n${text}\n\`\`\``;

function table(head, rows) {
  const cells = rows.map(([name, type, meaning]) => [`\`${name}\``, `\`${oneLine(type)}\``, meaning]);
  return [head, head.map(() => '---'), ...cells]
    .map((row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
}
