import { Injectable } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, ApiPropertyOptional, ApiSchema, getSchemaPath } from '@nestjs/swagger';
import type { Principal } from '../../../kernel/principal.types.js';
import { RoleDirectory, RouteAccessInspector } from '../../../identity/auth/auth.public.js';
import { ContentAbilities, type SchemaAbility } from './content-abilities.service.js';
import type { ContentAction } from '../resolve/conditions.js';

/** One action on the records of a schema. */
class OwnAction {
  @ApiProperty({
    enum: ['allow', 'rules'],
    description: '`rules`: allowed for some records. The service decides for each record.',
  })
  readonly value: 'allow' | 'rules';
  @ApiPropertyOptional({
    type: [String],
    description: 'Fields that the action returns (`list`, `get`, `aggregate`) or accepts (`create`, `update`).',
  })
  readonly fields?: readonly string[];
}

/** The body of `GET /api/auth/permissions`. It contains neither inaccessible resources nor rules. */
@ApiSchema({ name: 'Permissions' })
@ApiExtraModels(OwnAction)
export class OwnPermissions {
  @ApiProperty() readonly root: boolean;
  @ApiProperty({ type: [String], description: 'Names of the roles. Empty for guests.' })
  readonly roles: readonly string[];
  @ApiProperty({ type: [String], description: 'Resources of the accessible routes, except content.' })
  readonly resources: readonly string[];
  @ApiProperty({
    type: 'object',
    description: 'Allowed actions, by schema name and action.',
    additionalProperties: { type: 'object', additionalProperties: { $ref: getSchemaPath(OwnAction) } },
  })
  readonly content: Readonly<Record<string, Partial<Record<ContentAction, OwnAction>>>>;
}

/** Returns the permissions of the current user or guest. */
@Injectable()
export class OwnPermissionsService {
  private resources: readonly string[] | null = null;

  constructor(
    private readonly abilities: ContentAbilities,
    private readonly routes: RouteAccessInspector,
    private readonly directory: RoleDirectory,
  ) {}

  async of(principal: Principal): Promise<OwnPermissions> {
    const context = await this.abilities.open(principal);
    const { root, roles } = context.permissions;
    const content = [...this.abilities.bySchema(context)].map(
      (ability) => [ability.schema.name, actionsOf(ability)] as const,
    );
    this.resources ??= this.routes.resources();
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
  if (action === 'create' || action === 'update') return ability.writableFields(action).map(({ name }) => name);
  if (action === 'delete' || action === 'restore') return undefined;
  return ability.usableFields(action, action === 'aggregate' ? 'filter' : 'read').map(({ field }) => field.name);
}
