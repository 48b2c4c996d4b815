// Made by `schema:types` from the schemas of the service. Do not edit.

/** Any JSON value. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** The answer with one record. */
export interface RecordAnswer<T> {
  data: T;
}

/** The answer of a list by pages; the numbers are null with `count=none`. */
export interface ListAnswer<T> {
  data: {
    total: number | null;
    per_page: number;
    current_page: number;
    last_page: number | null;
    capped?: true;
    items: T[];
  };
}

/** The answer of a list by cursor; `next_cursor` is null on the last page. */
export interface CursorAnswer<T> {
  data: { per_page: number; next_cursor: string | null; items: T[] };
}

/** The answer of a change of many records. */
export interface CountAnswer {
  data: { count: number };
}

/** A fault of one field or parameter. */
export interface FieldFault {
  field: string;
  code: string;
  message: string;
}

/** The answer to whatever failed. */
export interface ErrorAnswer {
  /** The HTTP status as text. */
  code: string;
  message: string;
  data: { error: ErrorCode; errors?: FieldFault[]; request_id?: string; [detail: string]: unknown };
}

/** Tests a value for equality. */
export interface EqualityTest<T> {
  $eq?: T | null;
  $neq?: T | null;
  $in?: T[];
  $nin?: T[];
  $null?: boolean;
}

/** Tests a value that has an order. */
export interface OrderTest<T> extends EqualityTest<T> {
  $gt?: T;
  $gte?: T;
  $lt?: T;
  $lte?: T;
}

/** Tests a text. */
export interface TextTest<T> extends OrderTest<T> {
  $like?: string;
  $notlike?: string;
  $ilike?: string;
  $contains?: string;
  $notcontains?: string;
  $icontains?: string;
}

/** Tests a value that cannot be compared. */
export interface NullTest {
  $null?: boolean;
}

/** Tests related records. */
export interface RelationTest<F> {
  $some?: F;
  $none?: F;
  $every?: F;
}

/** Combines filters, and allows paths over relations such as `"category.slug"`. */
export interface FilterLogic<F> {
  $and?: F[];
  $or?: F[];
  $not?: F;
  [path: `${string}.${string}`]: unknown;
}

/** A key of `sort`; join several by commas. */
export type SortKey<Field extends string, ToOne extends string> =
  | `${'' | '-'}${Field}`
  | `${'' | '-'}${ToOne}.${string}`;

/** Records that are linked: the whole list, or what is added and removed. */
export type Links<Ref, New = never> =
  | (Ref | New)[]
  | { $add?: (Ref | New)[]; $remove?: Ref[] }
  | { $set: (Ref | New)[] };

/** Every value of `data.error`. */
export type ErrorCode =
  | "account_inactive"
  | "acme_customer_blocked"
  | "acme_invitation_invalid"
  | "acme_not_staff"
  | "acme_order_closed"
  | "acme_order_size"
  | "acme_out_of_stock"
  | "acme_unknown_product"
  | "activation_not_by_email"
  | "bad_gateway"
  | "bad_request"
  | "body_malformed"
  | "body_too_deep"
  | "body_too_large"
  | "carrier_invalid"
  | "cli_login_disabled"
  | "code_invalid"
  | "conflict"
  | "content_encoding_unsupported"
  | "content_type_unsupported"
  | "cross_site_request"
  | "database_unavailable"
  | "email_domain_blocked"
  | "email_domain_not_allowed"
  | "email_not_verified"
  | "email_taken"
  | "email_taken_by_other_method"
  | "email_unchanged"
  | "field_invalid"
  | "forbidden"
  | "gateway_timeout"
  | "gone"
  | "headers_too_large"
  | "http_version_not_supported"
  | "idempotency_key_reused"
  | "identity_not_found"
  | "identity_taken"
  | "im_a_teapot"
  | "internal_error"
  | "invalid_credentials"
  | "key_expired"
  | "key_invalid"
  | "key_not_allowed"
  | "key_not_found"
  | "key_rotated"
  | "last_root_account"
  | "last_way_in"
  | "local_login_disabled"
  | "mail_not_found"
  | "method_not_allowed"
  | "migration_blocked"
  | "migration_destructive"
  | "misdirected"
  | "not_a_local_account"
  | "not_acceptable"
  | "not_found"
  | "not_implemented"
  | "not_ready"
  | "otp_disabled"
  | "otp_invalid"
  | "password_mismatch"
  | "payment_required"
  | "permission_denied"
  | "plan_changed"
  | "precondition_failed"
  | "provider_denied"
  | "provider_failed"
  | "provider_not_found"
  | "provider_unavailable"
  | "query_invalid"
  | "query_timeout"
  | "rate_limited"
  | "record_changed"
  | "record_in_use"
  | "record_not_found"
  | "redirect_uri_not_allowed"
  | "reference_not_found"
  | "refresh_disabled"
  | "refresh_token_expired"
  | "refresh_token_invalid"
  | "refresh_token_reused"
  | "registration_rejected"
  | "request_malformed"
  | "request_timeout"
  | "route_not_found"
  | "schema_changed"
  | "schema_invalid"
  | "schema_not_found"
  | "schema_version_mismatch"
  | "server_busy"
  | "service_account_not_found"
  | "service_unavailable"
  | "session_not_found"
  | "setup_completed"
  | "setup_token_invalid"
  | "shutting_down"
  | "state_invalid"
  | "step_up_required"
  | "token_expired"
  | "token_invalid"
  | "token_missing"
  | "too_many_keys"
  | "too_many_requests"
  | "unauthorized"
  | "undo_impossible"
  | "unique_violation"
  | "unprocessable"
  | "username_reserved"
  | "username_taken"
  | "validation_failed";

/** A record of `file`. */
export interface FileRecord {
  id: string;
  name: string;
  disk: string;
  path: string;
  type: string;
  size: number | string;
  created_at: string;
  updated_at: string;
}

/** Which records of `file`. */
export interface FileRecordFilter extends FilterLogic<FileRecordFilter> {
  id?: string | null | OrderTest<string>;
  name?: string | null | TextTest<string>;
  disk?: string | null | TextTest<string>;
  path?: string | null | TextTest<string>;
  type?: string | null | TextTest<string>;
  size?: number | string | null | OrderTest<number | string>;
  created_at?: string | null | OrderTest<string>;
  updated_at?: string | null | OrderTest<string>;
}

/** A key by which records of `file` are sorted. */
export type FileRecordSort = SortKey<"id" | "name" | "disk" | "path" | "type" | "size" | "created_at" | "updated_at", never>;

/** A record of `order`. */
export interface Order {
  id: string;
  sku: string;
  pieces: number;
  state: "placed" | "shipped" | "cancelled";
  total_cents: number | null;
  customer: string | null;
  priority: number | null;
  created_at: string;
  updated_at: string;
  deleted_at: string | null;
}

/** A new record of `order`. */
export interface OrderCreate {
  sku: string;
  pieces: number;
  state?: "placed" | "shipped" | "cancelled";
  total_cents?: number | null;
  customer?: string | null;
  priority?: number | null;
}

/** What is changed of a record of `order`. */
export interface OrderUpdate {
  state?: "placed" | "shipped" | "cancelled";
  total_cents?: number | null;
  customer?: string | null;
  priority?: number | null;
}

/** Which records of `order`. */
export interface OrderFilter extends FilterLogic<OrderFilter> {
  id?: string | null | OrderTest<string>;
  sku?: string | null | TextTest<string>;
  pieces?: number | null | OrderTest<number>;
  state?: "placed" | "shipped" | "cancelled" | null | TextTest<"placed" | "shipped" | "cancelled">;
  total_cents?: number | null | OrderTest<number>;
  customer?: string | null | OrderTest<string>;
  priority?: number | null | OrderTest<number>;
  created_at?: string | null | OrderTest<string>;
  updated_at?: string | null | OrderTest<string>;
  deleted_at?: string | null | OrderTest<string>;
}

/** A key by which records of `order` are sorted. */
export type OrderSort = SortKey<"id" | "sku" | "pieces" | "state" | "total_cents" | "customer" | "priority" | "created_at" | "updated_at" | "deleted_at", never>;

/** A record of `permission`. */
export interface Permission {
  id: string;
  role?: Role | null;
  resource: string;
  value: string;
  fields: JsonValue;
  created_at: string;
  updated_at: string;
}

/** A new record of `permission`. */
export interface PermissionCreate {
  role: string | { id: string } | RoleCreate;
  resource: string;
  value: string;
  fields?: JsonValue;
}

/** What is changed of a record of `permission`. */
export interface PermissionUpdate {
  role?: string | { id: string } | RoleCreate;
  resource?: string;
  value?: string;
  fields?: JsonValue;
}

/** Which records of `permission`. */
export interface PermissionFilter extends FilterLogic<PermissionFilter> {
  id?: string | null | OrderTest<string>;
  role?: string | null | (OrderTest<string> & RelationTest<RoleFilter>);
  resource?: string | null | TextTest<string>;
  value?: string | null | TextTest<string>;
  fields?: null | NullTest;
  created_at?: string | null | OrderTest<string>;
  updated_at?: string | null | OrderTest<string>;
}

/** A key by which records of `permission` are sorted. */
export type PermissionSort = SortKey<"id" | "resource" | "value" | "created_at" | "updated_at", "role">;

/** A record of `product`. */
export interface Product {
  id: string;
  sku: string;
  name: string;
  price_cents: number;
  created_at: string;
  updated_at: string;
  deleted_at: string | null;
}

/** A new record of `product`. */
export interface ProductCreate {
  sku: string;
  name: string;
  price_cents: number;
}

/** What is changed of a record of `product`. */
export interface ProductUpdate {
  name?: string;
  price_cents?: number;
}

/** Which records of `product`. */
export interface ProductFilter extends FilterLogic<ProductFilter> {
  id?: string | null | OrderTest<string>;
  sku?: string | null | TextTest<string>;
  name?: string | null | TextTest<string>;
  price_cents?: number | null | OrderTest<number>;
  created_at?: string | null | OrderTest<string>;
  updated_at?: string | null | OrderTest<string>;
  deleted_at?: string | null | OrderTest<string>;
}

/** A key by which records of `product` are sorted. */
export type ProductSort = SortKey<"id" | "sku" | "name" | "price_cents" | "created_at" | "updated_at" | "deleted_at", never>;

/** A record of `role`. */
export interface Role {
  id: string;
  name: string;
  description: string | null;
  root: boolean;
  users?: User[];
  permissions?: Permission[];
  created_at: string;
  updated_at: string;
}

/** A new record of `role`. */
export interface RoleCreate {
  name: string;
  description?: string | null;
  root?: boolean;
  permissions?: Links<string | { id: string }, Omit<PermissionCreate, "role">>;
}

/** What is changed of a record of `role`. */
export interface RoleUpdate {
  name?: string;
  description?: string | null;
  root?: boolean;
  permissions?: Links<string | { id: string }, Omit<PermissionCreate, "role">>;
}

/** Which records of `role`. */
export interface RoleFilter extends FilterLogic<RoleFilter> {
  id?: string | null | OrderTest<string>;
  name?: string | null | TextTest<string>;
  description?: string | null | TextTest<string>;
  root?: boolean | null | EqualityTest<boolean>;
  users?: string | null | (OrderTest<string> & RelationTest<UserFilter>);
  permissions?: string | null | (OrderTest<string> & RelationTest<PermissionFilter>);
  created_at?: string | null | OrderTest<string>;
  updated_at?: string | null | OrderTest<string>;
}

/** A key by which records of `role` are sorted. */
export type RoleSort = SortKey<"id" | "name" | "description" | "root" | "created_at" | "updated_at", never>;

/** A record of `session`. */
export interface SessionRecord {
  id: string;
  user?: User | null;
  provider: string;
  device: string | null;
  address: string | null;
  created_at: string;
  last_used_at: string;
  expires_at: string;
}

/** Which records of `session`. */
export interface SessionRecordFilter extends FilterLogic<SessionRecordFilter> {
  id?: string | null | OrderTest<string>;
  user?: string | null | (OrderTest<string> & RelationTest<UserFilter>);
  provider?: string | null | TextTest<string>;
  device?: string | null | TextTest<string>;
  address?: string | null | TextTest<string>;
  created_at?: string | null | OrderTest<string>;
  last_used_at?: string | null | OrderTest<string>;
  expires_at?: string | null | OrderTest<string>;
}

/** A key by which records of `session` are sorted. */
export type SessionRecordSort = SortKey<"id" | "provider" | "device" | "address" | "created_at" | "last_used_at" | "expires_at", "user">;

/** A record of `user`. */
export interface User {
  id: string;
  email: string;
  email_verified_at: string | null;
  username: string | null;
  first_name: string | null;
  last_name: string | null;
  provider: string;
  activated: boolean;
  roles?: Role[];
  sessions?: SessionRecord[];
  created_at: string;
  updated_at: string;
}

/** A new record of `user`. */
export interface UserCreate {
  email: string;
  email_verified_at?: string | null;
  username?: string | null;
  first_name?: string | null;
  last_name?: string | null;
  provider?: string;
  activated?: boolean;
  roles?: Links<string | { id: string }, RoleCreate>;
  sessions?: Links<string | { id: string }>;
  password?: string | null;
}

/** What is changed of a record of `user`. */
export interface UserUpdate {
  email?: string;
  email_verified_at?: string | null;
  username?: string | null;
  first_name?: string | null;
  last_name?: string | null;
  activated?: boolean;
  roles?: Links<string | { id: string }, RoleCreate>;
  sessions?: Links<string | { id: string }>;
  password?: string | null;
}

/** Which records of `user`. */
export interface UserFilter extends FilterLogic<UserFilter> {
  id?: string | null | OrderTest<string>;
  email?: string | null | TextTest<string>;
  email_verified_at?: string | null | OrderTest<string>;
  username?: string | null | TextTest<string>;
  first_name?: string | null | TextTest<string>;
  last_name?: string | null | TextTest<string>;
  provider?: string | null | TextTest<string>;
  activated?: boolean | null | EqualityTest<boolean>;
  roles?: string | null | (OrderTest<string> & RelationTest<RoleFilter>);
  sessions?: string | null | (OrderTest<string> & RelationTest<SessionRecordFilter>);
  created_at?: string | null | OrderTest<string>;
  updated_at?: string | null | OrderTest<string>;
}

/** A key by which records of `user` are sorted. */
export type UserSort = SortKey<"id" | "email" | "email_verified_at" | "username" | "first_name" | "last_name" | "provider" | "activated" | "created_at" | "updated_at", never>;

/** Every record type by the name of its schema. */
export interface Records {
  file: FileRecord;
  order: Order;
  permission: Permission;
  product: Product;
  role: Role;
  session: SessionRecord;
  user: User;
}

/** Every type of a schema by its name. */
export interface Schemas {
  file: { record: FileRecord; filter: FileRecordFilter; sort: FileRecordSort };
  order: { record: Order; create: OrderCreate; update: OrderUpdate; filter: OrderFilter; sort: OrderSort };
  permission: { record: Permission; create: PermissionCreate; update: PermissionUpdate; filter: PermissionFilter; sort: PermissionSort };
  product: { record: Product; create: ProductCreate; update: ProductUpdate; filter: ProductFilter; sort: ProductSort };
  role: { record: Role; create: RoleCreate; update: RoleUpdate; filter: RoleFilter; sort: RoleSort };
  session: { record: SessionRecord; filter: SessionRecordFilter; sort: SessionRecordSort };
  user: { record: User; create: UserCreate; update: UserUpdate; filter: UserFilter; sort: UserSort };
}
