import { Injectable } from '@nestjs/common';
import type { Principal } from '../../identity/auth/access/principal.types.js';
import { RoleDirectory, RouteAccessInspector } from '../../identity/auth/auth.public.js';
import { ContentAbilities, type SchemaAbility } from './content-abilities.service.js';
import type { ContentAction } from './resolve/resolved.types.js';

/** One action on the records of a schema. */
export interface OwnAction {
  /** `rules`: with some of the records; which, the service decides record by record. */
  readonly value: 'allow' | 'rules';
  /** Fields that the action shows (`list`, `get`, `aggregate`) or takes (`create`, `update`). */
  readonly fields?: readonly string[];
}

/** The body of `GET /api/auth/permissions`. What may not be reached is not in it, and no rule is told. */
export interface OwnPermissions {
  readonly root: boolean;
  /** Names of the roles; none for a guest. */
  readonly roles: readonly string[];
  /** Routes beside content, by their resource. */
  readonly resources: readonly string[];
  /** By the name of the schema. */
  readonly content: Readonly<Record<string, Partial<Record<ContentAction, OwnAction>>>>;
}

/** Tells a person, or a guest, what they may do. */
@Injectable()
export class OwnPermissionsService {
  private resources: readonly string[] | null = null;

  constructor(
    private readonly abilities: ContentAbilities,
    private readonly routes: RouteAccessInspector,
    private readonly directory: RoleDirectory,
  ) {}

  /** Everything that the principal may do at this moment. */
  async of(principal: Principal): Promise<OwnPermissions> {
    const context = await this.abilities.open(principal);
    const { root, roles } = context.permissions;
    const content = [...this.abilities.in(context)].map(
      (ability) => [ability.schema.name, actionsOf(ability)] as const,
    );
    this.resources ??= namesOf(this.routes);
    const open = this.resources.filter((name) => this.directory.isOpenTo(principal, context.permissions, name));
    return { root, roles, resources: open, content: Object.fromEntries(content) };
  }
}

function actionsOf(ability: SchemaAbility): Partial<Record<ContentAction, OwnAction>> {
  const actions = [...ability.actions].map(([action, value]) => {
    const fields = fieldsOf(ability, action);
    return [action, fields === undefined ? { value } : { value, fields }] as const;
  });
  return Object.fromEntries(actions);
}

function fieldsOf(ability: SchemaAbility, action: ContentAction): readonly string[] | undefined {
  if (action === 'create' || action === 'update') return ability.written(action).map(({ name }) => name);
  if (action === 'delete' || action === 'restore') return undefined;
  return ability.usable(action, action === 'aggregate' ? 'filter' : 'read').map(({ field }) => field.name);
}

/** The resources of all routes that permissions open as a whole, in alphabetical order. */
function namesOf(routes: RouteAccessInspector): readonly string[] {
  const names = routes.list().flatMap(({ access }) => {
    if (access === undefined || access.public || access.byRecord === true) return [];
    return [access.resource];
  });
  return [...new Set(names)].sort();
}
