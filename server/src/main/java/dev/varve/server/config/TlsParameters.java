package dev.varve.server.config;

import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * The parameters of encrypted connections, under Redis 7.0's names. All can be changed while the
 * server runs, and those that name files are read anew whenever CONFIG SET names them, with the
 * same name too: so a certificate is replaced by the next one before it expires.
 */
public final class TlsParameters {

  /** The versions there are to choose from; the JDK has no older ones any more. */
  public static final List<String> VERSIONS = List.of("TLSv1.2", "TLSv1.3");

  public static final Parameter PORT =
      Parameter.integer(
              "tls-port",
              0,
              0,
              65535,
              "TCP port to listen on for TLS; 0: none. With it, port may be 0 for none")
          .mutable();
  public static final Parameter CERT_FILE =
      Parameter.text(
              "tls-cert-file",
              "",
              "PEM file with the server's certificate, and those between it and its authority")
          .checkedBy(PathRules::checkFile)
          .mutable();
  public static final Parameter KEY_FILE =
      Parameter.text("tls-key-file", "", "PEM file with its private key")
          .checkedBy(PathRules::checkFile)
          .mutable();
  public static final Parameter KEY_FILE_PASS =
      Parameter.text("tls-key-file-pass", "", "what that is encrypted by; empty: nothing")
          .mutable();
  public static final Parameter CA_CERT_FILE =
      Parameter.text(
              "tls-ca-cert-file",
              "",
              "PEM file with the certificates of the authorities that clients' are signed by")
          .checkedBy(PathRules::checkFile)
          .mutable();
  public static final Parameter CA_CERT_DIR =
      Parameter.text("tls-ca-cert-dir", "", "directory of such files")
          .checkedBy(PathRules::checkFile)
          .mutable();
  public static final Parameter AUTH_CLIENTS =
      Parameter.choice(
              "tls-auth-clients",
              "whether clients have to show a certificate; optional: only a good one, if any",
              "yes",
              "no",
              "yes",
              "optional")
          .mutable();
  public static final Parameter PROTOCOLS =
      Parameter.text("tls-protocols", "", "TLSv1.2, TLSv1.3 or both, which is what nothing means")
          .manyWords()
          .checkedBy(TlsParameters::checkVersions)
          .mutable();
  public static final Parameter PREFER_SERVER_CIPHERS =
      Parameter.yesNo(
              "tls-prefer-server-ciphers",
              false,
              "the server's order of ciphers goes before theirs")
          .mutable();

  /** All of them, in the order in which --help shows them. */
  static final List<Parameter> ALL =
      List.of(
          PORT,
          CERT_FILE,
          KEY_FILE,
          KEY_FILE_PASS,
          CA_CERT_FILE,
          CA_CERT_DIR,
          AUTH_CLIENTS,
          PROTOCOLS,
          PREFER_SERVER_CIPHERS);

  /** What says how TLS is spoken, as opposed to where. */
  private static final Set<Parameter> OF_CONTEXT = Set.copyOf(ALL.subList(1, ALL.size()));

  private TlsParameters() {}

  /** Whether a parameter says how TLS is spoken. */
  public static boolean isOfContext(Parameter parameter) {
    return OF_CONTEXT.contains(parameter);
  }

  /** The versions of TLS that a server speaks. */
  public static List<String> versions(Settings settings) {
    String text = settings.text(PROTOCOLS);
    return text.isBlank()
        ? VERSIONS
        : VERSIONS.stream().filter(version -> words(text).contains(version)).toList();
  }

  private static List<String> words(String text) {
    return Arrays.asList(text.trim().split("\\s+"));
  }

  private static void checkVersions(String text) throws ConfigException {
    if (!text.isBlank() && !VERSIONS.containsAll(words(text))) {
      throw new ConfigException("must be TLSv1.2, TLSv1.3 or both");
    }
  }
}
