/**
 * Users and what they may do, as Redis 7.0's ACL: https://redis.io/docs/management/security/acl/.
 *
 * <p>Words: a <em>user</em> has a name, passwords and <em>selectors</em>; one of them, the
 * <em>root</em>, it always has. A selector allows commands, keys and channels, and a request may
 * run if one selector allows all of it. A <em>modifier</em> is one word of ACL SETUSER, as {@code
 * +get} or {@code ~cache:*}; <em>rules</em> are what they add up to. A <em>category</em> is a group
 * of commands that has a name.
 *
 * <p>What lives here: {@code Users} are all there are, each {@code User} with the {@code UserRules}
 * that it has now. {@code Modifiers} reads modifiers, {@code Selector} answers what is allowed,
 * with {@code CommandRights}, and says how it would be written. {@code Catalog} is the table of
 * commands by category, which {@code Categories} knows; {@code KeySpecs} knows which parts of a
 * request are keys, and what becomes of them. {@code UserLines} are users as a file has them.
 *
 * <p>Texts of rules and names are strings of bytes: each char is one of them ({@code ByteText}).
 *
 * <p>Thread rule: rules are immutable once they are a user's; users and all of them are for any
 * thread.
 *
 * <p>Imports {@code command}, {@code resp}, and of {@code dev.varve.codec} globs.
 */
@NullMarked
package dev.varve.server.command.access;

import org.jspecify.annotations.NullMarked;
