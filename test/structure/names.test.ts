import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDERS = ['src', 'test', 'bench', 'chaos', 'scripts'];

/** Names that src still gives to two things. Each is renamed one day; a name that is unique again must leave this list. */
const NOT_YET_UNIQUE: readonly string[] = [
  'AccountRow',
  'Arrival',
  'Asked',
  'AttemptOutcome',
  'Authentication',
  'CreditsView',
  'Delivery',
  'EndpointRow',
  'ErasureReport',
  'EventRow',
  'Json',
  'KeyItem',
  'ListQuery',
  'ListedMessage',
  'Live',
  'MAX_DEPTH',
  'MessageList',
  'Moment',
  'Operation',
  'PersonRow',
  'Phone',
  'PushResult',
  'Reader',
  'Reference',
  'Resolve',
  'RetractResult',
  'START',
  'STREAMS_MAX',
  'Site',
  'SmsView',
  'Webhooks',
  'WhatsappErasureReceipt',
  'deliveryOf',
  'fingerprint',
  'given',
  'listEndpoints',
  'listen',
  'lockMessages',
  'lockPerson',
  'notice',
  'oneOf',
  'openLive',
  'recordAttempts',
  'refusedPage',
  'sendPage',
  'stopTexts',
  'stopWhatsapp',
  'writeChanges',
];

const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|tsx|mjs)$/.test(file) && !file.includes('node_modules'))
    .map((file) => `${folder}/${file}`),
);

/** The names of a file's exported declarations, each once: a const and a type of one name are one thing. */
function exportedNames(file: string): Set<string> {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  return new Set(source.statements.filter(isExported).flatMap(declaredNames));
}

const isExported = (statement: ts.Statement): boolean => {
  const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
  const has = (kind: ts.SyntaxKind): boolean => modifiers.some((modifier) => modifier.kind === kind);
  // A default export has the name that its importer gives it.
  return has(ts.SyntaxKind.ExportKeyword) && !has(ts.SyntaxKind.DefaultKeyword);
};

function declaredNames(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) => boundNames(name));
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isEnumDeclaration(statement);
  return isNamed && statement.name ? [statement.name.text] : [];
}

function boundNames(name: ts.BindingName): string[] {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) => (ts.isBindingElement(element) ? boundNames(element.name) : []));
}

const filesByName = new Map<string, string[]>();
for (const file of files)
  for (const name of exportedNames(file)) filesByName.set(name, [...(filesByName.get(name) ?? []), file]);
const duplicates = [...filesByName].filter(([, exporters]) => exporters.length > 1);

test('every folder has exported declarations to compare', () => {
  const exporters = [...filesByName.values()].flat();
  for (const folder of FOLDERS)
    expect(
      exporters.some((file) => file.startsWith(`${folder}/`)),
      folder,
    ).toBe(true);
  expect(filesByName.size).toBeGreaterThan(1_000);
});

test('no two files export the same name', () => {
  const unexpected = duplicates.filter(([name]) => !NOT_YET_UNIQUE.includes(name));
  expect(unexpected.map(([name, exporters]) => `${name}: ${exporters.sort().join(', ')}`)).toEqual([]);
});

test('outside src every exported name is unique, without exception', () => {
  const outside = duplicates.filter(
    ([, exporters]) => exporters.filter((file) => !file.startsWith('src/')).length > 1,
  );
  expect(outside.map(([name]) => name)).toEqual([]);
});

test('the list of names that are not unique yet holds no other names', () => {
  const names = duplicates.map(([name]) => name);
  expect(NOT_YET_UNIQUE.filter((name) => !names.includes(name))).toEqual([]);
});
