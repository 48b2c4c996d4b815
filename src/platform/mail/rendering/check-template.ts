import Handlebars from 'handlebars';
import type { TemplatePart, TemplateRow } from './mail-template.table.js';

type Node = hbs.AST.Node;
type Path = hbs.AST.PathExpression;
type Call = hbs.AST.MustacheStatement;
type Block = hbs.AST.BlockStatement;

const BLOCKS = ['if', 'unless'];

/**
 * Returns all faults of the source of one template part; empty if it is valid. It checks for syntax errors, unknown variables, unescaped
 * values in HTML, and secrets in a subject. A body must also show a secret, if the mail has one.
 *
 * Templates support only `{{variable}}`, `{{#if}}` and `{{#unless}}` of Handlebars.
 */
export function checkTemplate(
  name: string,
  part: TemplatePart,
  source: string,
  variables: TemplateRow['variables'],
): string[] {
  let program: hbs.AST.Program;
  try {
    program = Handlebars.parse(source);
  } catch (error) {
    return [`cannot be parsed: ${error instanceof Error ? error.message : String(error)}`];
  }
  const check = new TemplateCheck(name, part, variables);
  check.walk(program);
  return check.finish();
}

class TemplateCheck {
  private readonly faults = new Set<string>();
  private readonly rendered = new Set<string>();
  constructor(
    private readonly name: string,
    private readonly part: TemplatePart,
    private readonly variables: TemplateRow['variables'],
  ) {}

  walk(program: hbs.AST.Program | undefined): void {
    for (const statement of program?.body ?? []) this.statement(statement);
  }

  finish(): string[] {
    const secrets = Object.keys(this.variables).filter((variable) => this.variables[variable]?.secret);
    const needed = this.name === 'layout' ? ['body'] : secrets;
    if (this.part !== 'subject' && needed.length > 0 && !needed.some((variable) => this.rendered.has(variable))) {
      this.faults.add(`shows none of ${needed.map((variable) => `{{${variable}}}`).join(', ')}`);
    }
    return [...this.faults];
  }

  private statement(node: Node): void {
    if (node.type === 'ContentStatement' || node.type === 'CommentStatement') return;
    if (node.type === 'MustacheStatement') this.value(node as Call);
    else if (node.type === 'BlockStatement') this.block(node as Block);
    else this.fault(node, 'has a partial or decorator; only values, {{#if}} and {{#unless}} are supported');
  }

  private value(node: Call): void {
    if (node.params.length > 0 || node.hash?.pairs.length > 0) {
      this.fault(node, `calls the helper "${original(node.path)}"; only values, {{#if}} and {{#unless}} are supported`);
      return;
    }
    const name = this.variable(node.path);
    if (name === null) return;
    this.rendered.add(name);
    if (this.part === 'html' && !node.escaped && name !== 'body') {
      this.fault(node, `leaves {{{${name}}}} unescaped; use {{${name}}}`);
    }
    if (this.part === 'subject' && this.variables[name]?.secret) {
      this.fault(node, `has {{${name}}} in the subject, which is shown on locked screens`);
    }
  }

  private block(node: Block): void {
    const [condition, ...more] = node.params;
    if (!BLOCKS.includes(original(node.path)) || condition === undefined || more.length > 0) {
      this.fault(
        node,
        `has the block "${original(node.path)}"; only {{#if variable}} and {{#unless variable}} are supported`,
      );
      return;
    }
    this.variable(condition);
    this.walk(node.program);
    this.walk(node.inverse);
  }

  private variable(node: Node): string | null {
    const path = node as Path;
    const name = original(node);
    const plain = node.type === 'PathExpression' && !path.data && path.depth === 0 && path.parts.length === 1;
    if (plain && Object.hasOwn(this.variables, name)) return name;
    this.fault(
      node,
      `uses the unknown variable "${name}"; known variables are ${Object.keys(this.variables).join(', ')}`,
    );
    return null;
  }

  private fault(node: Node, text: string): void {
    this.faults.add(`line ${node.loc.start.line} ${text}`);
  }
}

function original(node: Node): string {
  return 'original' in node ? String(node.original) : node.type;
}
