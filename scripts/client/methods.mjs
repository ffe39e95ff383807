import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../prepare.mjs';
import { formatted } from './types.mjs';

const SOURCE = join(ROOT, 'clients', 'typescript', 'src');
export const METHODS_FILE = join('src', 'pages', 'reference', 'examples', 'clientMethods.ts');

/** The TypeScript that says by which method of the client each operation is called, for the examples of the reference. */
export function clientMethodsSource() {
  const entries = readdirSync(join(SOURCE, 'resources'))
    .filter((file) => file.endsWith('.ts') && file !== 'sandbox.ts')
    .flatMap((file) => classesOf(join('resources', file)).flatMap(methodsOf));
  return formatted(
    [
      '// Made from the source of the TypeScript client by `npm run client -- docs`. Do not edit.',
      `interface ClientMethod {
        method: string;
        /** Its arguments, in their order. */
        takes: readonly string[];
        /** It answers with a loop over all pages. */
        isPaged: boolean;
      }`,
      `/** The method of the TypeScript client that calls each operation. */
      export const clientMethods: Readonly<Record<string, ClientMethod>> = {${entries.sort().join('\n')}};`,
    ].join('\n\n'),
    METHODS_FILE,
  );
}

const parse = (file) =>
  ts.createSourceFile(file, readFileSync(join(SOURCE, file), 'utf8'), ts.ScriptTarget.Latest, true);
const classesOf = (file) => parse(file).statements.filter(ts.isClassDeclaration);

/** The names of the resources by their classes. */
const RESOURCES = new Map(
  classesOf('waypost.ts').flatMap(({ members }) =>
    members.filter(ts.isPropertyDeclaration).map(({ name, type }) => [type?.getText(), name.getText()]),
  ),
);

function methodsOf({ name: resource, members }) {
  return members.filter(ts.isMethodDeclaration).flatMap((member) => {
    const [, operation] = /this\.#call\(\s*'(\w+)'/.exec(member.getText()) ?? [];
    if (operation === undefined) return [];
    const method = `${RESOURCES.get(resource.text)}.${member.name.getText()}`;
    const takes = member.parameters.map(({ name }) => name.getText());
    const isPaged = member.type?.getText().startsWith('Paged<') === true;
    return [`${operation}: ${JSON.stringify({ method, takes, isPaged })},`];
  });
}
